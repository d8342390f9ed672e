// Contract: rules about forges and package registries: what is published or deleted there concerns everybody. PURE.
import { readOptions } from '../shell/options.ts';
import type { Rule } from '../types.ts';
import { GH, PLAIN } from './infra-specs.ts';
import { head, patternRule, rule, tableRule, type Check } from './kit.ts';
import { isHelp } from './options.ts';

const PACK = 'infra';
const PUBLISH = ['publish !--dry-run|-n'];

/** `gh api -X DELETE`, also by its long form; a POST to a merge or a dispatch is the person's affair. */
const api: Check = ({ args }) => {
  const read = readOptions(args, GH);
  if (read.operands[0]?.text !== 'api' || isHelp(args)) return undefined;
  const method = read.options.find(({ name }) => name === '-X' || name === '--method');
  if (method?.value?.toUpperCase() === 'DELETE') return { at: method.word };
  const mutation = read.options.find(({ name, value }) => (name === '-f' || name === '-F' || name === '--raw-field' || name === '--field') && value !== undefined && /\bmutation\b[\s\S]{0,400}\bdelete/iu.test(value));
  return mutation === undefined ? undefined : { at: mutation.word };
};

const curlDelete: Check = ({ args }) => {
  const at = args.findIndex(({ text }, i) => text === '-XDELETE' || (text.toUpperCase() === 'DELETE' && (args[i - 1]?.text === '-X' || args[i - 1]?.text === '--request')) || text.toUpperCase() === '--REQUEST=DELETE');
  const to = args.find(({ text }) => /^https?:\/\/(?:api\.github\.com|gitlab\.com\/api|api\.bitbucket\.org|api\.cloudflare\.com|api\.heroku\.com|api\.vercel\.com|registry\.npmjs\.org|api\.digitalocean\.com|management\.azure\.com|[\w.-]*googleapis\.com|[\w.-]*amazonaws\.com)/u.test(text));
  return at === -1 || to === undefined ? undefined : { at: args[at] };
};

export const FORGE_RULES: readonly Rule[] = [
  patternRule(PACK, head('infra.gh.delete', 'gh repo delete, release delete, secret delete, repo archive', 'This deletes things on the forge for everybody. Ask the person.'), 'gh', GH,
    ['repo delete|archive', 'release delete|delete-asset', 'secret|variable delete|remove', 'run delete', 'cache delete -a|--all', 'ssh-key|gpg-key|deploy-key delete', 'repo deploy-key delete', 'codespace delete', 'gist delete', 'label delete', 'issue delete', 'project delete', 'ruleset delete', 'workflow disable', 'repo rename', 'extension remove', 'environment delete']),
  rule(PACK, head('infra.gh.api', 'gh api -X DELETE', 'This deletes things on the forge for everybody. Ask the person.'), 'gh', api),
  patternRule(PACK, head('infra.gh.admin', 'gh pr merge --admin, repo edit --visibility', 'This goes around the checks of the repository or changes who sees it. Ask the person.'), 'gh', GH, ['pr merge --admin', 'repo edit --visibility', 'pr review --approve', 'auth logout', 'repo edit --delete-branch-on-merge=false']),
  patternRule(PACK, head('infra.glab', 'glab repo delete, release delete, api -X DELETE', 'This deletes things on the forge for everybody. Ask the person.'), 'glab tea hub', { exact: true, valued: 'RgX', longs: 'repo= group= method=' },
    ['repo|project delete', 'release delete', 'variable delete', 'delete', 'ci delete', 'repos delete', 'ssh-key delete']),
  rule(PACK, head('infra.api.delete', 'curl -X DELETE to a forge, a registry or a cloud', 'This deletes things of others by an API. Ask the person.'), 'curl', curlDelete),
  tableRule(PACK, head('infra.package.publish', 'npm publish, cargo publish, twine upload, gem push', 'A published version cannot be taken back. A person must confirm it; try --dry-run first.', 'ask', 'contested'), PLAIN, {
    npm: PUBLISH, pnpm: PUBLISH, yarn: [...PUBLISH, 'npm publish !--dry-run', 'workspaces foreach publish'], bun: PUBLISH, cargo: PUBLISH, poetry: PUBLISH, flit: PUBLISH, hatch: PUBLISH, uv: PUBLISH, jsr: PUBLISH, lerna: PUBLISH, vsce: PUBLISH, twine: ['upload'], gem: ['push'], dotnet: ['nuget push'], nuget: ['push'], mvn: ['deploy'],
  }),
  patternRule(PACK, head('infra.package.unpublish', 'npm unpublish, cargo yank, gem yank, npm owner and access changes', 'This takes a version away from everybody who uses it, or changes who may publish. Ask the person.'), 'npm pnpm yarn cargo gem pypi', PLAIN,
    ['unpublish !--dry-run', 'yank !--undo', 'owner rm|remove', 'access revoke|set|restricted', 'dist-tag rm', 'token revoke', 'npm unpublish', 'deprecate', 'owner -r|--remove']),
];
