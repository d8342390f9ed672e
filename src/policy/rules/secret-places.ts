// Contract: which files hold keys and credentials of a person. PURE.
import { HOST_KEY_FILE } from '../../roots/own-dirs.ts';
import { homeOfFacts } from '../paths.ts';
import type { Place } from '../types.ts';

/** `key`: reading it is enough to act as the person. `store`: it holds credentials among other things. `env`: a project's own. */
export type Secret = 'key' | 'store' | 'env';

const KEYS = ' .aws/credentials .netrc .git-credentials .pgpass .my.cnf .pypirc .vault-token .docker/config.json .config/gh/hosts.yml .config/hub .config/gcloud/credentials.db .config/gcloud/access_tokens.db .config/gcloud/application_default_credentials.json .azure/accessTokens.json .azure/msal_token_cache.json .terraform.d/credentials.tfrc.json .config/rclone/rclone.conf .cargo/credentials .cargo/credentials.toml .gem/credentials .claude/.credentials.json .codex/auth.json .gemini/oauth_creds.json .config/op/config .oci/oci_api_key.pem .config/doctl/config.yaml .fly/config.yml .kube/config .s3cfg .boto .htpasswd .config/hcloud/cli.toml .m2/settings-security.xml .config/containers/auth.json .electrum/wallets .bitcoin/wallet.dat .ethereum/keystore .config/solana/id.json ';
const STORES = ' .npmrc .yarnrc.yml .gradle/gradle.properties .m2/settings.xml .config/git/credentials .config/pip/pip.conf ';
const KEY_DIRS = ['.gnupg/private-keys', '.gnupg/secring', '.password-store/', '.config/gcloud/legacy_credentials/', 'Library/Keychains/', '.local/share/keyrings/', '.ethereum/keystore/', '.electrum/wallets/', '.azure/service_principal'];
const BROWSER = ['Login Data', 'Cookies', 'logins.json', 'key4.db', 'cookies.sqlite', 'Web Data', 'Local State'];
const BROWSER_DIRS = ['.mozilla/', '.config/google-chrome', '.config/chromium', '.config/BraveSoftware', 'Library/Application Support/Google/Chrome', 'Library/Application Support/Firefox', 'snap/firefox', '.config/microsoft-edge', 'Library/Cookies'];
const SYSTEM = ' /etc/shadow /etc/gshadow /etc/shadow- /etc/gshadow- /etc/sudoers /etc/krb5.keytab /etc/master.passwd /private/etc/master.passwd /proc/self/environ ';

/** Files in `.ssh` that hold no key. */
function isPublic(name: string): boolean {
  return name.endsWith('.pub') || name === 'config' || name.startsWith('known_hosts') || name.startsWith('authorized_keys') || name === 'environment' || name === 'rc' || name === '' || name.startsWith('config.d/') || name.includes('allowed_signers');
}

function inHome(inside: string): Secret | undefined {
  if (inside.startsWith('.ssh/')) return isPublic(inside.slice('.ssh/'.length)) ? undefined : 'key';
  if (KEYS.includes(` ${inside} `) || KEY_DIRS.some((directory) => inside.startsWith(directory))) return 'key';
  if (BROWSER_DIRS.some((directory) => inside.startsWith(directory)) && BROWSER.some((name) => inside.endsWith(name))) return 'key';
  if (STORES.includes(` ${inside} `)) return 'store';
  // A key in the home directory, outside any project.
  return !inside.includes('/') && (inside.endsWith('.pem') || inside.endsWith('.p12') || inside.endsWith('.pfx')) ? 'key' : undefined;
}

const HARMLESS = ['.example', '.sample', '.template', '.dist', '.defaults', '.schema'];

/** What a normalised absolute path holds; undefined where it holds no secret. */
export function isSecretPath(path: string, place: Place): Secret | undefined {
  if (SYSTEM.includes(` ${path} `)) return 'key';
  const base = path.slice(path.lastIndexOf('/') + 1);
  const home = homeOfFacts(place.facts);
  for (const root of [home, '/root']) {
    if (root === undefined || !path.startsWith(`${root}/`)) continue;
    const found = inHome(path.slice(root.length + 1));
    if (found !== undefined) return found;
  }
  // Other people's homes, and `~` of a machine that is not known.
  const other = /^(?:\/home|\/Users|\?)\/(?:[^/]+\/)?(\.(?:ssh|aws|gnupg)\/.+)$/u.exec(path)?.[1];
  if (other !== undefined && inHome(other) !== undefined) return 'key';
  // The key with which a workstation signs its receipts, in whatever data directory.
  if (base === HOST_KEY_FILE) return 'key';
  if (base.startsWith('id_') && !base.includes('.') && (base === 'id_rsa' || base === 'id_ed25519' || base === 'id_ecdsa' || base === 'id_dsa')) return 'key';
  return (base === '.env' || base.startsWith('.env.')) && !HARMLESS.some((end) => base.endsWith(end)) ? 'env' : undefined;
}
