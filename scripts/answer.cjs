// dist/answer.cjs: prints what needs nothing of the machine and was written when the program was built: `capabilities`, as text and
// as JSON. Anything else that was asked for, or a file that is not there, goes to the command line, which answers the same.
'use strict';
const fs = require('fs');

const words = process.argv.slice(2);
if (words[0] === 'clients') words.shift();
const json = words[1] === '--json' || !['', '0', 'false'].includes(process.env.PRAETORCTL_JSON ?? '');
const plain = words[0] === 'capabilities' && (words.length === 1 || (words.length === 2 && words[1] === '--json')) && (process.env.PRAETORCTL_CLIENT ?? '') === '';

function answer() {
  try {
    return plain ? fs.readFileSync(`${__dirname}/capabilities.${json ? 'json' : 'txt'}`) : undefined;
  } catch {
    return undefined;
  }
}

/** Whole or not at all: a pipe that takes only a part is written again until done; a closed one ends the output. */
function writeAll(bytes) {
  for (let done = 0; done < bytes.length;) {
    try {
      done += fs.writeSync(1, bytes, done);
    } catch (error) {
      if (error.code === 'EAGAIN') Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5);
      else {
        if (error.code !== 'EPIPE') process.exitCode = 1;
        return;
      }
    }
  }
}

const bytes = answer();
if (bytes === undefined) require('./cli.cjs');
else writeAll(bytes);
