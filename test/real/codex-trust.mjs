// Contract: what a person does with "Trust all and continue", through the client's own app server. The product never does
// this: a test plays the person's part, in a home of its own.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { endGroup } from './world.mjs';

const ANSWER_MS_MAX = 20_000;

/** Talks JSON-RPC over the app server's standard input and output while `use` runs. */
async function withAppServer(world, environment, use) {
  const child = spawn(world.binary, ['app-server'], { cwd: world.project, env: { ...world.env, ...environment }, stdio: ['pipe', 'pipe', 'ignore'], detached: true });
  const waiting = new Map();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const message = JSON.parse(line);
    const settle = waiting.get(message.id);
    if (settle === undefined || message.method !== undefined) return;
    waiting.delete(message.id);
    settle(message);
  });
  let serial = 0;
  const ask = (method, params) => new Promise((resolve, reject) => {
    serial += 1;
    const timer = setTimeout(() => reject(new Error(`${method}: no answer`)), ANSWER_MS_MAX);
    waiting.set(serial, ({ result, error }) => {
      clearTimeout(timer);
      if (error === undefined) resolve(result);
      else reject(new Error(`${method}: ${error.message}`));
    });
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: serial, method, params })}\n`);
  });
  try {
    await ask('initialize', { clientInfo: { name: 'praetorctl-test', title: 'praetorctl test', version: '1.0.0' } });
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', method: 'initialized' })}\n`);
    return await use(ask);
  } finally {
    endGroup(child.pid);
  }
}

/** The hooks as the client itself lists them. */
export function listHooks(world, environment) {
  return withAppServer(world, environment, async (ask) => (await ask('hooks/list', { cwds: [world.project] })).data[0].hooks);
}

/** Trusts every listed hook and returns them with the status after it. */
export function trustAll(world, environment) {
  return withAppServer(world, environment, async (ask) => {
    const listed = (await ask('hooks/list', { cwds: [world.project] })).data[0].hooks;
    const value = Object.fromEntries(listed.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }]));
    await ask('config/batchWrite', { edits: [{ keyPath: 'hooks.state', value, mergeStrategy: 'upsert' }] });
    return (await ask('hooks/list', { cwds: [world.project] })).data[0].hooks;
  });
}
