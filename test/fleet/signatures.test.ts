// Keys and signatures against the real ssh-keygen, both ways, and every refusal by its code.
import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { judgeSigner, parseAllowedSigners } from '../../src/fleet/allowed-signers.ts';
import { lineDigest, nodeSigner, openLine, seal, SIGNED_LINE_BYTES_MAX, sshKeygenSigner, type Opened, type Refusal } from '../../src/fleet/signed-line.ts';
import { armouredSignature, newSigningKey, parseSignature, privateKeyFile, publicLine, readPrivateKey, readPublicLine, signatureBytes, signatureFits, signSsh, type SigningKey, type SshResult } from '../../src/fleet/sshsig.ts';
import { realHost } from '../../src/host.ts';

let dir = '';
const at = (name: string): string => join(dir, name);
const env = { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8' };
const keygen = (args: string[], input = ''): string => execFileSync('ssh-keygen', args, { input, env, encoding: 'utf8', stdio: ['pipe', 'pipe', 'pipe'] });
const make = (name: string, type: string, pass = '', more: string[] = []): void => { keygen(['-q', '-t', type, ...more, '-N', pass, '-C', `${name} comment`, '-f', at(name)]); };
const value = <T>(result: SshResult<T>): T => {
  if (!result.ok) throw new Error(result.message);
  return result.value;
};
let key: SigningKey;
const host = realHost({ env });
const PAYLOAD = { schema: 'praetor.receipt/1', host: 'aa11', seq: 4, at: '2026-03-01T10:00:00.000Z', note: 'ünï' };

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), 'praetorctl-sig-'));
  make('ed', 'ed25519');
  key = value(readPrivateKey(readFileSync(at('ed'), 'utf8')));
});
afterAll(() => rmSync(dir, { recursive: true, force: true }));

const anchorOf = (lines: string[]) => {
  const parsed = parseAllowedSigners(lines.join('\n'));
  expect(parsed.problems).toEqual([]);
  return parsed;
};
const open = (line: string, lines: string[], more = {}): Opened | Refusal => openLine(line, { signers: anchorOf(lines), namespace: 'praetor-receipt', schema: 'praetor.receipt/1', ref: 'refs/praetor/receipts/aa/aa11', ...more });
const refused = (line: string, lines: string[], more = {}): Refusal => {
  const result = open(line, lines, more);
  if (result.ok) throw new Error('it was opened');
  return result;
};

describe('keys', () => {
  it('reads the file and the line of ssh-keygen, with its fingerprint and comment', () => {
    const printed = keygen(['-l', '-f', at('ed.pub')]).split(' ')[1];
    expect(key.fingerprint).toBe(printed);
    expect(key.comment).toBe('ed comment');
    expect(value(readPublicLine(readFileSync(at('ed.pub'), 'utf8'))).fingerprint).toBe(printed);
    expect(`${publicLine(key, key.comment)}\n`).toBe(readFileSync(at('ed.pub'), 'utf8'));
  });
  it('writes a file that ssh-keygen reads and signs with', () => {
    const own = newSigningKey('a host');
    writeFileSync(at('own'), privateKeyFile(own), { mode: 0o600 });
    expect(keygen(['-y', '-f', at('own')])).toBe(`${publicLine(own, 'a host')}\n`);
    expect(value(readPrivateKey(privateKeyFile(own))).seed.equals(own.seed)).toBe(true);
    expect(newSigningKey('').fingerprint).not.toBe(own.fingerprint);
  });
  it.each([['rsa', 'ssh-rsa', ['-b', '2048']], ['ecdsa', 'ecdsa-sha2-nistp256', []]] as const)('refuses %s by name', (type, name, more) => {
    make(`k-${type}`, type, '', [...more]);
    for (const result of [readPublicLine(readFileSync(at(`k-${type}.pub`), 'utf8')), readPrivateKey(readFileSync(at(`k-${type}`), 'utf8'))]) {
      expect(result).toMatchObject({ ok: false, code: 'key-type' });
      expect(!result.ok && result.message).toContain(name);
    }
  });
  it('refuses a passphrase, names the cipher, and sends to the agent', () => {
    make('locked', 'ed25519', 'secret');
    const result = readPrivateKey(readFileSync(at('locked'), 'utf8'));
    expect(result).toMatchObject({ ok: false, code: 'encrypted' });
    expect(!result.ok && result.message).toMatch(/aes256-ctr.*ssh-agent/);
  });
  it('refuses a file that is cut anywhere, and one whose halves differ', () => {
    const raw = Buffer.from(readFileSync(at('ed'), 'utf8').split('\n').slice(1, -2).join(''), 'base64');
    const file = (bytes: Buffer): string => `-----BEGIN OPENSSH PRIVATE KEY-----\n${bytes.toString('base64')}\n-----END OPENSSH PRIVATE KEY-----\n`;
    expect(readPrivateKey(file(raw)).ok).toBe(true);
    for (let length = 0; length < raw.length; length++) expect(readPrivateKey(file(raw.subarray(0, length))), `${length}`).toMatchObject({ ok: false, code: 'malformed' });
    expect(readPrivateKey(file(Buffer.concat([raw, Buffer.from([0])])))).toMatchObject({ ok: false, code: 'malformed' });
    const other = Buffer.from(raw);
    const seedAt = raw.lastIndexOf(key.seed);
    other[seedAt] = (other[seedAt] ?? 0) ^ 1;
    expect(readPrivateKey(file(other))).toMatchObject({ ok: false, code: 'malformed' });
  });
});

describe('SSHSIG', () => {
  it.each(['sha256', 'sha512'])('verifies what ssh-keygen signed with %s', (hash) => {
    for (const message of ['', 'x', 'ä'.repeat(5000)]) {
      const armour = keygen(['-Y', 'sign', '-f', at('ed'), '-n', 'praetor-receipt', '-O', `hashalg=${hash}`], message);
      const signature = value(parseSignature(value(signatureBytes(armour))));
      expect(signature).toMatchObject({ namespace: 'praetor-receipt', hash });
      expect(signature.key.fingerprint).toBe(key.fingerprint);
      expect(signatureFits(signature, Buffer.from(message))).toBe(true);
      expect(signatureFits(signature, Buffer.from(`${message}.`))).toBe(false);
    }
  });
  it('signs what ssh-keygen verifies, byte for byte as ssh-keygen signs', () => {
    const armour = armouredSignature(signSsh(key, 'praetor-promotion', Buffer.from('message')));
    expect(armour).toBe(keygen(['-Y', 'sign', '-f', at('ed'), '-n', 'praetor-promotion'], 'message'));
    writeFileSync(at('sig'), armour);
    writeFileSync(at('allowed'), `aa11 namespaces="praetor-promotion" ${publicLine(key)}\n`);
    expect(keygen(['-Y', 'verify', '-f', at('allowed'), '-I', 'aa11', '-n', 'praetor-promotion', '-s', at('sig')], 'message')).toContain('Good');
    expect(() => keygen(['-Y', 'verify', '-f', at('allowed'), '-I', 'aa11', '-n', 'praetor-receipt', '-s', at('sig')], 'message')).toThrow();
  });
  it.each([['rsa', 'ssh-rsa'], ['ecdsa', 'ecdsa-sha2-nistp256']])('refuses a signature of %s by name', (type, name) => {
    const armour = keygen(['-Y', 'sign', '-f', at(`k-${type}`), '-n', 'praetor-receipt'], 'x');
    const result = parseSignature(value(signatureBytes(armour)));
    expect(result).toMatchObject({ ok: false, code: 'key-type' });
    expect(!result.ok && result.message).toContain(name);
    expect(!result.ok && result.fingerprint).toBe(keygen(['-l', '-f', at(`k-${type}.pub`)]).split(' ')[1]);
  });
  it('refuses a security key by name', () => {
    const text = (word: string | Buffer): Buffer => { const b = Buffer.from(word); const n = Buffer.alloc(4); n.writeUInt32BE(b.length); return Buffer.concat([n, b]); };
    const blob = Buffer.concat([text('sk-ssh-ed25519@openssh.com'), text(key.raw), text('ssh:')]);
    const bytes = Buffer.concat([Buffer.from('SSHSIG\0\0\0\x01'), text(blob), text('praetor-receipt'), text(''), text('sha512'), text(text('sk-ssh-ed25519@openssh.com'))]);
    expect(parseSignature(bytes)).toMatchObject({ ok: false, code: 'key-type', message: expect.stringContaining('sk-ssh-ed25519@openssh.com') as string });
    expect(readPublicLine(`sk-ssh-ed25519@openssh.com ${blob.toString('base64')}`)).toMatchObject({ ok: false, code: 'key-type', message: expect.stringContaining('sk-ssh-ed25519@openssh.com') as string });
  });
  it('refuses it cut anywhere, with bytes behind it, and with any byte changed', () => {
    const bytes = signSsh(key, 'praetor-receipt', Buffer.from('m'));
    for (let length = 0; length < bytes.length; length++) expect(parseSignature(bytes.subarray(0, length)), `${length}`).toMatchObject({ ok: false, code: 'malformed' });
    expect(parseSignature(Buffer.concat([bytes, Buffer.from([0])]))).toMatchObject({ ok: false, code: 'malformed' });
    for (let i = 0; i < bytes.length; i++) {
      const other = Buffer.from(bytes);
      other[i] = (other[i] ?? 0) ^ 1;
      const result = parseSignature(other);
      const good = result.ok && result.value.namespace === 'praetor-receipt' && result.value.key.fingerprint === key.fingerprint && signatureFits(result.value, Buffer.from('m'));
      expect(good, `byte ${i}`).toBe(false);
    }
  });
});

describe('allowed signers', () => {
  const signer = (head: string): string => `${head} ${publicLine(key)}`;
  const first = (text: string) => parseAllowedSigners(text).problems[0];
  it('takes comments, blank lines, quotes, patterns, options and both line ends', () => {
    const { signers, problems } = parseAllowedSigners(`# a comment\r\n\r\n${signer('"a@x,b*,!bad"')} name\r\n  ${signer('host namespaces="praetor-receipt,git",valid-after="20260101Z",valid-before=202602011230')}\n`);
    expect(problems).toEqual([]);
    expect(signers.map(({ line, principals, namespaces, validAfter, validBefore }) => ({ line, principals, namespaces, validAfter, validBefore }))).toEqual([
      { line: 3, principals: ['a@x', 'b*', '!bad'], namespaces: undefined, validAfter: undefined, validBefore: undefined },
      { line: 4, principals: ['host'], namespaces: ['praetor-receipt', 'git'], validAfter: Date.UTC(2026, 0, 1), validBefore: Date.UTC(2026, 1, 1, 12, 30) },
    ]);
  });
  it('names the space between options, as which ssh-keygen only says that a key is invalid', () => {
    const text = signer('aa11 namespaces="praetor-receipt" valid-before="20270101Z"');
    expect(first(`\n${text}`)).toEqual({ line: 2, message: expect.stringMatching(/separated by commas without spaces/) as string });
    writeFileSync(at('trap'), `${text}\n`);
    writeFileSync(at('trap.sig'), armouredSignature(signSsh(key, 'praetor-receipt', Buffer.from('m'))));
    expect(() => keygen(['-Y', 'verify', '-f', at('trap'), '-I', 'aa11', '-n', 'praetor-receipt', '-s', at('trap.sig')], 'm')).toThrow(/invalid key/);
  });
  it.each([
    ['an open quote', 'aa11 namespaces="x'], ['no principal', ''], ['an unknown option', 'aa11 no-touch'], ['a certificate authority', 'aa11 cert-authority'],
    ['a date that is none', 'aa11 valid-after=20260231Z'], ['an empty namespace', 'aa11 namespaces="a,,b"'], ['a window without time', 'aa11 valid-after=20260301Z,valid-before=20260301Z'],
    ['an empty principal', 'a,,b'], ['a quote inside', 'a,"b"'], ['a doubled option', 'aa11 valid-after=20260101Z,valid-after=20260102Z'],
  ])('refuses %s with its line', (_what, head) => { expect(first(`#\n${signer(head)}`)).toMatchObject({ line: 2 }); });
  it('refuses keys of other types and damaged ones with their line, and keeps the others', () => {
    const rsa = readFileSync(at('k-rsa.pub'), 'utf8').trim();
    const { signers, problems } = parseAllowedSigners([`a ${rsa}`, signer('b'), 'c ssh-ed25519 AAAA', 'd ssh-ed25519 !!!', 'e'].join('\n'));
    expect(signers.map((s) => s.principals)).toEqual([['b']]);
    expect(problems.map((p) => p.line)).toEqual([1, 3, 4, 5]);
    expect(problems[0]?.message).toContain('ssh-rsa');
  });
  it('is bounded', () => {
    expect(parseAllowedSigners('#'.repeat(4 * 1024 * 1024 + 1)).problems).toHaveLength(1);
    expect(parseAllowedSigners(signer('a'.repeat(8200))).problems).toHaveLength(1);
  });
  it('judges principal, namespace and time, and takes any of several lines that fits', () => {
    const signers = anchorOf([signer('old-* namespaces="praetor-*",valid-before="20260101Z"'), signer('h?st,!hast valid-after="20260201Z"')]);
    const ask = (principal: string | undefined, namespace: string, day: string) => {
      const verdict = judgeSigner(signers, { fingerprint: key.fingerprint, namespace, at: Date.parse(`${day}T00:00:00Z`), principal });
      return verdict.ok ? verdict.signer.line : verdict.code;
    };
    expect(ask('old-1', 'praetor-receipt', '2025-12-31')).toBe(1);
    expect(ask('old-1', 'praetor-receipt', '2026-01-01')).toBe('key-expired');
    expect(ask('old-1', 'git', '2025-12-31')).toBe('namespace-not-allowed');
    expect(ask('host', 'git', '2026-01-31')).toBe('key-not-yet-valid');
    expect(ask('host', 'git', '2026-02-01')).toBe(2);
    expect(ask('hast', 'git', '2026-02-01')).toBe('principal-not-allowed');
    expect(ask('other', 'git', '2026-02-01')).toBe('principal-not-allowed');
    expect(ask(undefined, 'git', '2026-02-01')).toBe(2);
  });
});

describe('a signed line', () => {
  const allowed = (): string => `aa11 namespaces="praetor-receipt" ${publicLine(key)}`;
  const sealed = (payload: Record<string, string | number> = PAYLOAD): Promise<string> => seal(payload, nodeSigner(key), 'praetor-receipt');
  /** As someone who holds the key would: the payload is text of their own. */
  const signedText = (text: string): string => `praetor1 ${Buffer.from(text).toString('base64url')} ${signSsh(key, 'praetor-receipt', Buffer.from(text)).toString('base64')}`;

  it('opens to payload, key, signer and digest', async () => {
    const line = await sealed();
    expect(open(line, [allowed()], { principal: (p: Record<string, unknown>) => String(p['host']) })).toMatchObject({ ok: true, payload: PAYLOAD, key: { fingerprint: key.fingerprint }, signer: { principals: ['aa11'] }, digest: lineDigest(line) });
    expect(line).toMatch(/^praetor1 [\w-]+ [A-Za-z0-9+/=]+$/);
  });
  it('is the same made by ssh-keygen with a file', async () => {
    expect(await seal(PAYLOAD, sshKeygenSigner(host, at('ed')), 'praetor-receipt')).toBe(await sealed());
  });
  it('is the same made by an agent, of which only the public key file is named', async () => {
    const agent = execFileSync('ssh-agent', ['-s', '-a', at('agent.sock')], { env, encoding: 'utf8' });
    const pid = Number(/SSH_AGENT_PID=(\d+)/.exec(agent)?.[1]);
    try {
      const withAgent = { ...env, SSH_AUTH_SOCK: at('agent.sock') };
      make('held', 'ed25519');
      execFileSync('ssh-add', ['-q', at('held')], { env: withAgent, stdio: 'ignore' });
      rmSync(at('held'));
      const line = await seal(PAYLOAD, sshKeygenSigner(realHost({ env: withAgent }), at('held.pub')), 'praetor-receipt');
      expect(open(line, [`aa11 ${readFileSync(at('held.pub'), 'utf8')}`])).toMatchObject({ ok: true });
    } finally {
      process.kill(pid);
    }
  });
  it('says why nothing was signed', async () => {
    make('pass', 'ed25519', 'secret');
    await expect(seal(PAYLOAD, sshKeygenSigner(host, at('pass')), 'praetor-receipt')).rejects.toMatchObject({ diagnostic: { code: 'signing-failed' } });
    await expect(seal(PAYLOAD, sshKeygenSigner(realHost({ env: { PATH: dir } }), at('ed')), 'praetor-receipt')).rejects.toThrow(/no ssh-keygen/);
  });
  it('names key, ref and sequence in every refusal', async () => {
    const [head = '', body = '', signature = ''] = (await sealed()).split(' ');
    const other = newSigningKey('');
    const tampered = Buffer.from(Buffer.from(body, 'base64url').toString().replace('"seq":4', '"seq":5')).toString('base64url');
    const cases: [string, Refusal, number][] = [
      ['signature-wrong', refused(`${head} ${tampered} ${signature}`, [allowed()]), 5],
      ['key-unknown', refused(`${head} ${body} ${signature}`, [`aa11 ${publicLine(other)}`]), 4],
      ['namespace-wrong', refused(await seal(PAYLOAD, nodeSigner(key), 'praetor-promotion'), [allowed()]), 4],
      ['namespace-not-allowed', refused(`${head} ${body} ${signature}`, [`aa11 namespaces="git" ${publicLine(key)}`]), 4],
      ['key-expired', refused(`${head} ${body} ${signature}`, [`aa11 valid-before="20260301Z" ${publicLine(key)}`]), 4],
      ['key-not-yet-valid', refused(`${head} ${body} ${signature}`, [`aa11 valid-after="20260302Z" ${publicLine(key)}`]), 4],
      ['principal-not-allowed', refused(`${head} ${body} ${signature}`, [`bb22 ${publicLine(key)}`], { principal: () => 'aa11' }), 4],
    ];
    for (const [code, refusal, seq] of cases) {
      expect(refusal).toMatchObject({ code, fingerprint: key.fingerprint, seq });
      expect(refusal.message).toContain(`(key ${key.fingerprint}, ref refs/praetor/receipts/aa/aa11, sequence ${seq})`);
    }
  });
  it('stays good when its key ends later: the key is judged at the time of the line', async () => {
    expect(open(await sealed(), [`aa11 valid-before="20260302Z" ${publicLine(key)}`])).toMatchObject({ ok: true });
  });
  it.each([
    ['duplicate keys', '{"schema":"praetor.receipt/1","at":"2026-03-01T10:00:00Z","seq":4,"seq":5}'], ['blanks', '{"schema": "praetor.receipt/1","at":"2026-03-01T10:00:00Z"}'],
    ['no object', '[1]'], ['no JSON', 'seq 4'], ['another schema', '{"schema":"praetor.promotion/1","at":"2026-03-01T10:00:00Z"}'], ['no time', '{"schema":"praetor.receipt/1"}'],
    ['a local time', '{"schema":"praetor.receipt/1","at":"2026-03-01T10:00:00"}'], ['a byte order mark', '\ufeff{"schema":"praetor.receipt/1","at":"2026-03-01T10:00:00Z"}'],
  ])('refuses a signed payload with %s', (_what, text) => { expect(refused(signedText(text), [allowed()])).toMatchObject({ code: 'payload-invalid', fingerprint: key.fingerprint }); });
  it('refuses a payload that is no UTF-8', () => {
    const bytes = Buffer.from([0x7b, 0xff, 0x7d]);
    expect(refused(`praetor1 ${bytes.toString('base64url')} ${signSsh(key, 'praetor-receipt', bytes).toString('base64')}`, [allowed()])).toMatchObject({ code: 'payload-invalid' });
  });
  it('refuses other forms of the line', async () => {
    const line = await sealed();
    const [head = '', body = '', signature = ''] = line.split(' ');
    for (const text of ['', head, `${head} ${body}`, `${line} `, ` ${line}`, `${line} x`, `${line}\n`, line.replace('praetor1', 'praetor2'), `${head} ${body}= ${signature}`, `${head} ${body} ${signature}=`, `${head} ${body}* ${signature}`, `${head}  ${body} ${signature}`]) {
      expect(refused(text, [allowed()]), JSON.stringify(text.slice(0, 20))).toMatchObject({ code: 'malformed' });
    }
    for (let length = 1; length < line.length; length += 7) expect(refused(line.slice(0, length), [allowed()]).ok, `${length}`).toBe(false);
  });
  it('is bounded on both sides', async () => {
    const fill = (n: number): Promise<string> => sealed({ ...PAYLOAD, note: 'x'.repeat(n) });
    await expect(fill(SIGNED_LINE_BYTES_MAX)).rejects.toMatchObject({ diagnostic: { code: 'too-large' } });
    const large = await fill(48_600);
    expect(large.length).toBeLessThan(SIGNED_LINE_BYTES_MAX);
    expect(open(large, [allowed()])).toMatchObject({ ok: true });
    expect(refused(`praetor1 ${'A'.repeat(SIGNED_LINE_BYTES_MAX)} AAAA`, [allowed()])).toMatchObject({ code: 'line-too-long' });
  });
  it('refuses a key that is no point of the curve', () => {
    const { publicKey } = generateKeyPairSync('ed25519');
    expect(publicKey).toBeDefined();
    const bytes = signSsh(key, 'praetor-receipt', Buffer.from('m'));
    const other = Buffer.concat([bytes]);
    other.fill(0xff, other.indexOf(key.raw), other.indexOf(key.raw) + 32);
    const parsed = parseSignature(other);
    expect(parsed.ok && signatureFits(parsed.value, Buffer.from('m'))).toBe(false);
  });
});
