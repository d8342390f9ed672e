// Contract: Apple's XML property lists, as text: for launchd and for configuration profiles. PURE.

export const escapedXml = (text: string): string => text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/>/g, '&gt;');

export type PlistValue = string | number | boolean | readonly PlistValue[] | { readonly [key: string]: PlistValue };

/** Apple's XML property list, keys sorted as its own tools do it. */
export function plistText(value: PlistValue): string {
  const lines = (one: PlistValue, indent: string): string[] => {
    if (typeof one === 'string') return [`${indent}<string>${escapedXml(one)}</string>`];
    if (typeof one === 'number') return [`${indent}<integer>${one}</integer>`];
    if (typeof one === 'boolean') return [`${indent}<${one}/>`];
    if (Array.isArray(one)) return [`${indent}<array>`, ...one.flatMap((item: PlistValue) => lines(item, `${indent}\t`)), `${indent}</array>`];
    const entries = Object.entries(one as Readonly<Record<string, PlistValue>>).sort(([a], [b]) => (a < b ? -1 : 1));
    return [`${indent}<dict>`, ...entries.flatMap(([key, item]) => [`${indent}\t<key>${escapedXml(key)}</key>`, ...lines(item, `${indent}\t`)]), `${indent}</dict>`];
  };
  return [
    '<?xml version="1.0" encoding="UTF-8"?>', '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
    '<plist version="1.0">', ...lines(value, ''), '</plist>', '',
  ].join('\n');
}
