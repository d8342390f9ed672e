// Contract: programs that bring text into files: what the line knows of a file's text goes along. PURE.
import { emit, fileKey, type Handler } from './call.ts';
import { lastOption, readOptions, type OptionSpec } from './options.ts';

const CURL: OptionSpec = { valued: 'oHdXuAebcFTmTxyYzEKQrtwDCUP', longs: 'output= header= data= request= user= user-agent= remote-name location silent fail show-error url= output-dir=' };
const WGET: OptionSpec = { valued: 'OPoaieUtTwQlARDIXBS', longs: 'output-document= directory-prefix= header= user= password= quiet no-check-certificate post-data= output-file=' };

/** What is fetched into a file is remembered, so that running the file says where it came from. */
const fetch: Handler = (walker, call, program) => {
  const effective = emit(walker, call, { program });
  const read = readOptions(call.words.slice(1), program === 'wget' ? WGET : CURL);
  const named = lastOption(read, '-o', '--output', '-O', '--output-document');
  const url = read.operands.find((word) => /:\/\/|\./.test(word.text));
  const base = url?.text.replace(/[?#].*$/, '').split('/').pop();
  const file = program === 'wget' ? named?.value ?? base : named?.name === '-O' || lastOption(read, '--remote-name') !== undefined ? base : named?.value;
  if (file !== undefined && file !== '-' && file !== '') call.env.files.set(fileKey(file, call.cwd), { text: undefined, from: [effective] });
  return { printed: undefined };
};

/** `tee FILE`, `cp A B`, `mv A B`: what is known of a file's text goes along. */
const copy: Handler = (walker, call, program) => {
  emit(walker, call, { program });
  const { operands } = readOptions(call.words.slice(1), { valued: 'tSm' });
  const { env, cwd, frame } = call;
  if (program === 'tee') {
    for (const word of operands) if (!word.dynamic) env.files.set(fileKey(word.text, cwd), { text: frame.stdin.text, from: frame.stdin.from });
    return { printed: frame.stdin.text };
  }
  const [from, to] = operands;
  const known = from === undefined || operands.length !== 2 ? undefined : env.files.get(fileKey(from.text, cwd));
  if (known !== undefined && to !== undefined && !to.dynamic) env.files.set(fileKey(to.text, cwd), known);
  return { printed: '' };
};

export const FILE_TOOLS: Readonly<Record<string, Handler>> = { curl: fetch, wget: fetch, tee: copy, cp: copy, mv: copy, install: copy };
