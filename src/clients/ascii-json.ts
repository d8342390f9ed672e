// Contract: JSON in ASCII only, so that no code page on the way (PowerShell, cmd) can change a document, and its length in
// characters is its length in bytes. PURE.

export function asciiJson(value: unknown): string {
  const text = JSON.stringify(value);
  for (let i = 0; i < text.length; i++) {
    if (text.charCodeAt(i) > 126) return escapeFrom(text, i);
  }
  return text;
}

function escapeFrom(text: string, start: number): string {
  let out = text.slice(0, start);
  for (let i = start; i < text.length; i++) {
    const code = text.charCodeAt(i);
    out += code > 126 ? `\\u${code.toString(16).padStart(4, '0')}` : text[i];
  }
  return out;
}
