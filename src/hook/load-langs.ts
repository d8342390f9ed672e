// Contract: stands for policy/shell/langs.ts in the policy bundle: loads the readers of other languages at the first use. IO.
import type { Languages } from '../policy/shell/langs.ts';

declare const load: (bundle: 'langs') => { readonly languages: () => Languages };

let known: Languages | undefined;

export function languages(): Languages {
  return known ??= load('langs').languages();
}
