// Contract: the smallest MCP server over standard input and output: one tool, `echo`, which leaves its text in the file named
// by the first argument, so that a test sees that the call took place.
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const log = process.argv[2];
const TOOL = { name: 'echo', description: 'Says a text again.', inputSchema: { type: 'object', properties: { text: { type: 'string' } }, required: ['text'] } };

function result(message) {
  switch (message.method) {
    case 'initialize':
      return { protocolVersion: message.params.protocolVersion, capabilities: { tools: {} }, serverInfo: { name: 'praetorctl-test', version: '1.0.0' } };
    case 'tools/list':
      return { tools: [TOOL] };
    case 'tools/call': {
      const text = String(message.params.arguments?.text ?? '');
      appendFileSync(log, `${text}\n`);
      return { content: [{ type: 'text', text: `echo: ${text}` }] };
    }
    case 'ping':
      return {};
    default:
      return undefined;
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  let message;
  try {
    message = JSON.parse(line);
  } catch {
    return;
  }
  // A notification has no id and gets no answer.
  if (message.id === undefined) return;
  const found = result(message);
  const answer = found === undefined ? { error: { code: -32601, message: 'method not found' } } : { result: found };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id: message.id, ...answer })}\n`);
});
