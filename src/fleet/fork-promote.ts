// Contract: `fork promote`: a candidate is checked again against what the servers have now, described in one signed line, and pushed
// together with that line and its artefact; or, to withdraw a version, an older artefact is promoted again. Through the Host.
import { pathsOf } from '../clientsetup/statefiles.ts';
import type { Host } from '../host.ts';
import { PraetorError } from '../model/diagnostic.ts';
import type { JsonObject } from '../model/json.ts';
import { joinPath } from '../roots/paths.ts';
import { judgeSigner, parseAllowedSigners } from './allowed-signers.ts';
import { checkArtefact } from './artefact.ts';
import { CANDIDATE_ARTEFACT, CANDIDATE_CLONE, readCandidate, type Candidate } from './candidate.ts';
import { digest } from './crypto.ts';
import { expectedTree } from './fork-prepare.ts';
import { artefactCommit, fetchFork, lostRace, notesWith, pushTogether, untouchedClone, type Seen } from './fork-push.ts';
import { filterFindings, identityFindings, manifestAt, neededAddress, treeOf, type ForkRepo } from './fork-repo.ts';
import { ownerFindings, upstreamFindings } from './fork-tree.ts';
import { passed } from './gates.ts';
import { git, gitBlob, gitLine, isAncestor, type GitPlace } from './git.ts';
import { ARTEFACT_FILE, PROMOTIONS_REF, PROMOTION_SCHEMA, artefactRef, branchRef, versionId, type Promotion } from './promotion.ts';
import { idOf, readChain, withdrawnIds, type Chain } from './promotion-chain.ts';
import { NAMESPACE_PROMOTION, lineDigest, openLine, seal } from './signed-line.ts';
import { signerFor } from './signer.ts';
import { parseSignature, publicLine } from './sshsig.ts';
import { ARTEFACT_BYTES_MAX, unpackTar } from './tar.ts';

export interface PromoteInput {
  /** A private key file, or the public key of one that an agent or a security key holds. */
  readonly sign: string;
  readonly urgent?: boolean;
  readonly minFrom?: number | undefined;
  readonly expires?: string | undefined;
  readonly resets?: string | undefined;
  /** Allowed signers, as a document. */
  readonly newSigners?: string | undefined;
}

export interface PromoteResult {
  /** false: there was nothing to promote. */
  readonly promoted: boolean;
  readonly promotion: Promotion | null;
  readonly id: string | null;
  readonly fingerprint: string | null;
  readonly digest: string | null;
  readonly why: string;
}

const refuse = (message: string, fix: string): PraetorError => new PraetorError({ code: 'fork-refused', message, fix });
const nothing = (why: string): PromoteResult => ({ promoted: false, promotion: null, id: null, fingerprint: null, digest: null, why });

function newSignersOf(text: string | undefined): readonly string[] | undefined {
  if (text === undefined) return undefined;
  const { signers, problems } = parseAllowedSigners(text);
  const [problem] = problems;
  if (problem !== undefined || signers.length === 0) throw refuse(`the new signers cannot be used: ${problem === undefined ? 'none is named' : `line ${problem.line}: ${problem.message}`}`, 'one line per key: * namespaces="praetor-promotion" ssh-ed25519 AAAA...');
  return text.split('\n').map((line) => line.trim()).filter((line) => line !== '' && !line.startsWith('#'));
}

/** Proves of the clone alone that the candidate is what `prepare` proved. */
function proveCandidate(repo: ForkRepo, clone: GitPlace, candidate: Candidate, packed: Uint8Array): void {
  const { owner, base, commit } = candidate;
  const tree = treeOf(clone, commit);
  const [finding] = [...identityFindings(repo, manifestAt(clone, commit)), ...upstreamFindings(treeOf(clone, base)), ...ownerFindings(tree), ...filterFindings(clone, commit)];
  if (finding !== undefined) throw refuse(`${finding.path === null ? '' : `${finding.path}: `}${finding.text}`, 'praetorctl fork plan');
  const parents = gitLine(clone, ['rev-list', '--parents', '-n', '1', commit]).split(' ').slice(1);
  const isMerge = parents.length === 2 && parents[0] === owner && parents[1] === base;
  if (commit !== owner && !isMerge) throw refuse("the candidate's commit is not the merge of its two commits", 'praetorctl fork prepare, with a new destination');
  if (gitLine(clone, ['rev-parse', `${commit}^{tree}`]) !== expectedTree(clone, owner, base)) throw refuse("the candidate is not upstream's tree and the owner's files", 'praetorctl fork prepare, with a new destination');
  if (manifestAt(clone, commit).repository !== candidate.repository) throw refuse('the candidate is of another fork', 'praetorctl fork prepare, with a new destination');
  checkArtefact(clone, commit, unpackTar(packed));
}

function readPacked(host: Host, path: string, { artefact, gates }: Candidate): Uint8Array {
  const failed = gates.find((gate) => !passed(gate));
  if (failed !== undefined || artefact === null) throw new PraetorError({ code: 'gate-failed', message: `a gate of this candidate failed: ${failed?.command ?? 'nothing was packed'}`, fix: 'correct it, then praetorctl fork prepare with a new destination' });
  let packed: Uint8Array;
  try {
    packed = host.readFile(path, ARTEFACT_BYTES_MAX);
  } catch {
    packed = new Uint8Array(0);
  }
  if (packed.length !== artefact.bytes || digest('sha512', packed).toString('hex') !== artefact.sha512) throw new PraetorError({ code: 'artefact-invalid', where: { path }, message: 'the artefact is not the one that was prepared', fix: 'praetorctl fork prepare, with a new destination' });
  return packed;
}

function checkUpstream(repo: ForkRepo, clone: GitPlace, base: string): void {
  git(clone, ['fetch', '-q', '--no-tags', '--no-write-fetch-head', '--', neededAddress(repo, repo.upstream), `+${branchRef(repo.branch)}:refs/praetor/remote/upstream`], { account: true });
  if (!isAncestor(clone, base, 'refs/praetor/remote/upstream')) throw refuse(`upstream was rewritten: it does not contain ${base}, which the candidate is made of`, 'praetorctl fork plan, after git fetch');
}

/** The history that workstations follow only grows, but for a reset that is said. */
function checkContinues(place: GitPlace, { promoted }: Chain, commit: string, resets: string | undefined): void {
  const last = promoted.at(-1)?.promotion.commit;
  // A commit that was given up may not even be here.
  const here = last !== undefined && git(place, ['cat-file', '--batch-check'], { input: `${last}\n` }).includes(' commit ');
  const continues = last === undefined || (here && isAncestor(place, last, commit));
  if (resets === undefined && !continues) throw refuse(`the candidate does not contain ${last ?? ''}, which was promoted last`, `if that history is given up on purpose: --resets ${last ?? ''}`);
  if (resets !== undefined && (continues || resets !== last)) throw refuse(continues ? 'nothing is given up: the candidate contains what was promoted last' : `what was promoted last is ${last ?? 'nothing'}`, 'leave --resets away, or name that commit');
}

type Facts = Pick<Promotion, 'repository' | 'commit' | 'base' | 'artifact' | 'version' | 'gates'> & { readonly withdraws?: readonly string[] };

async function signed(host: Host, chain: Chain, facts: Facts, input: PromoteInput): Promise<{ readonly line: string; readonly promotion: Promotion; readonly fingerprint: string }> {
  const signers = newSignersOf(input.newSigners);
  const last = chain.promoted.at(-1);
  const at = new Date(host.now()).toISOString();
  const payload = {
    schema: PROMOTION_SCHEMA, repository: facts.repository, seq: (last?.promotion.seq ?? 0) + 1, prev: last?.digest ?? null, at, commit: facts.commit, base: facts.base,
    artifact: facts.artifact, version: facts.version, gates: facts.gates,
    ...(input.urgent === true ? { urgent: true } : {}), ...(input.minFrom === undefined ? {} : { minFrom: input.minFrom }), ...(facts.withdraws === undefined ? {} : { withdraws: facts.withdraws }),
    ...(input.resets === undefined ? {} : { resets: input.resets }), ...(input.expires === undefined ? {} : { expires: input.expires }), ...(signers === undefined ? {} : { signers }),
  };
  const line = await seal(payload as unknown as JsonObject, signerFor(host, pathsOf(host).resolve(host.cwd, input.sign)).sign, NAMESPACE_PROMOTION);
  const made = parseSignature(Buffer.from(line.split(' ')[2] ?? '', 'base64'));
  if (!made.ok) throw new PraetorError({ code: 'signing-failed', message: made.message, fix: 'sign with an ed25519 key' });
  const { key } = made.value;
  const judged = chain.signers === undefined ? undefined : judgeSigner(chain.signers, { fingerprint: key.fingerprint, namespace: NAMESPACE_PROMOTION, at: Date.parse(at), principal: undefined });
  if (judged?.ok === false) throw refuse(`no workstation would take this: ${judged.message} (key ${key.fingerprint})`, 'sign with a key that the last --new-signers named');
  // As a workstation will read it, before anybody else does.
  const read = openLine(line, { signers: parseAllowedSigners(`* ${publicLine(key)}`), namespace: NAMESPACE_PROMOTION, schema: PROMOTION_SCHEMA });
  if (!read.ok) throw new PraetorError({ code: 'signing-failed', message: read.message, fix: 'sign with an ed25519 key' });
  return { line, promotion: { urgent: false, minFrom: 0, withdraws: [], resets: null, expires: null, signers: null, ...payload } as unknown as Promotion, fingerprint: key.fingerprint };
}

interface Publication { readonly seen: Seen; readonly chain: Chain; readonly facts: Facts; readonly artefact: { readonly from: string | undefined; readonly to: string }; readonly input: PromoteInput; readonly address: string }

async function publish(place: GitPlace, { seen, chain, facts, artefact, input, address }: Publication): Promise<PromoteResult> {
  const { line, promotion, fingerprint } = await signed(place.host, chain, facts, input);
  const notes = notesWith(place, seen.notes, facts.commit, line, promotion.at);
  pushTogether(place, address, [
    { ref: branchRef(seen.branch), from: seen.main, to: facts.commit },
    { ref: facts.artifact.ref, ...artefact },
    { ref: PROMOTIONS_REF, from: seen.notes, to: notes },
  ]);
  return { promoted: true, promotion, id: versionId(facts.artifact.sha512), fingerprint, digest: lineDigest(line), why: '' };
}

export async function promoteFork(repo: ForkRepo, directory: string, input: PromoteInput): Promise<PromoteResult> {
  const { place: { host } } = repo;
  const root = pathsOf(host).resolve(host.cwd, directory);
  const candidate = readCandidate(host, root);
  const { commit, base, owner, repository, version, gates, at } = candidate;
  const file = joinPath(host.platform, root, CANDIDATE_ARTEFACT);
  const packed = readPacked(host, file, candidate);
  const clone = untouchedClone(host, { clone: joinPath(host.platform, root, CANDIDATE_CLONE), commit });
  try {
    proveCandidate(repo, clone, candidate, packed);
    checkUpstream(repo, clone, base);
    const address = neededAddress(repo, repo.remote);
    const seen = fetchFork(clone, address, repo.branch);
    const chain = readChain(clone, seen.notes);
    if (chain.promoted.some(({ promotion }) => promotion.commit === commit)) return nothing(`${commit} is promoted already`);
    if (!isAncestor(clone, seen.main, commit)) throw lostRace([`${branchRef(seen.branch)} is ${seen.main.slice(0, 12)}, the candidate continues ${owner.slice(0, 12)}`]);
    checkContinues(clone, chain, commit, input.resets);
    const artifact = { ref: artefactRef(commit), bytes: packed.length, sha512: digest('sha512', packed).toString('hex') };
    const to = artefactCommit(clone, file, commit, at);
    return await publish(clone, { seen, chain, facts: { repository, commit, base, artifact, version, gates }, artefact: { from: undefined, to }, input, address });
  } finally {
    clone.remove();
  }
}

/** The newest version that nobody withdrew is promoted once more, on a commit that changes nothing. Several ids where the one before a bad version is bad too. */
export async function withdrawVersions(repo: ForkRepo, ids: readonly string[], input: PromoteInput): Promise<PromoteResult> {
  const { place: { host } } = repo;
  const clone = untouchedClone(host);
  try {
    const address = neededAddress(repo, repo.remote);
    const seen = fetchFork(clone, address, repo.branch);
    const chain = readChain(clone, seen.notes);
    const gone = withdrawnIds(chain);
    const unknown = ids.find((id) => !chain.promoted.some((one) => idOf(one) === id));
    if (unknown !== undefined) throw refuse(`no promotion has the version ${unknown.slice(0, 40)}`, 'praetorctl workstation status names the version that a workstation has');
    const withdraws = [...new Set(ids)].filter((id) => !gone.has(id));
    if (withdraws.length === 0) return nothing(`${ids.join(', ')}: withdrawn already`);
    const target = chain.promoted.findLast((one) => !withdraws.includes(idOf(one)) && !gone.has(idOf(one)));
    if (target === undefined) throw refuse(`no older version is left to go back to from ${withdraws.join(', ')}`, 'prepare and promote a corrected version instead');
    const { repository, base, artifact, version, gates } = target.promotion;
    git(clone, ['fetch', '-q', '--no-tags', '--no-write-fetch-head', '--', address, `+${artifact.ref}:${artifact.ref}`], { account: true });
    const to = gitLine(clone, ['rev-parse', artifact.ref]);
    if (digest('sha512', gitBlob(clone, `${to}:${ARTEFACT_FILE}`, ARTEFACT_BYTES_MAX)).toString('hex') !== artifact.sha512) throw refuse('the artefact to go back to is not the one that was promoted', 'promote a corrected version instead');
    const config = { 'user.name': 'praetorctl', 'user.email': 'praetorctl@localhost' };
    const commit = gitLine(clone, ['commit-tree', `${seen.main}^{tree}`, '-p', seen.main, '-m', `Withdraw version ${withdraws.join(', ')}`], { config });
    checkContinues(clone, chain, commit, input.resets);
    return await publish(clone, { seen, chain, facts: { repository, commit, base, artifact, version, gates, withdraws }, artefact: { from: to, to }, input, address });
  } finally {
    clone.remove();
  }
}
