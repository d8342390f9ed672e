// Contract: a client that rewrites its file all the time, as clients do: read, change, write beside, rename. A counter in the file
// tells it whether one of its own updates was lost. Arguments: file, period in ms, lock directory or "". Stops when stdin ends.
import * as fs from 'node:fs';

const [file = '', period = '3', lock = ''] = process.argv.slice(2);
let last = -1;
let writes = 0;
let lost = 0;
let torn = 0;

function takeLock(): boolean {
  if (lock === '') return true;
  try { fs.mkdirSync(lock); return true; } catch { return false; }
}

function update(): void {
  if (!takeLock()) return;
  try {
    const text = fs.readFileSync(file, 'utf8');
    const counter = /^counter (\d+)\n/.exec(text);
    if (counter === null) { torn += 1; return; }
    const value = Number(counter[1]);
    if (value < last) lost += 1;
    last = value + 1;
    fs.writeFileSync(`${file}.client`, text.replace(/^counter \d+\n/, `counter ${last}\n`));
    fs.renameSync(`${file}.client`, file);
    writes += 1;
  } finally {
    if (lock !== '') fs.rmdirSync(lock);
  }
}

const timer = setInterval(update, Number(period));
process.stdout.write('\n');
process.stdin.on('end', () => {
  clearInterval(timer);
  update();
  process.stdout.write(JSON.stringify({ writes, lost, torn }));
});
process.stdin.resume();
