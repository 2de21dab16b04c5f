/** HTML without what pages and styles add: tags with their addresses and types only. */
export const bare = (html: string): string =>
  html
    .replace(/<\/?(?:span|div|section)\b[^>]*>/g, '')
    .replace(
      /<(\w+)((?:[^>"']|"[^"]*"|'[^']*')*?)\/?>/g,
      (_, tag: string, attributes: string) =>
        `<${[
          tag,
          ...[...attributes.matchAll(/\b(href|src|type)="([^"]*)"/g)].map(([, key, value]) => `${key}="${value}"`),
          ...(/\bchecked\b/.test(attributes) ? ['checked'] : []),
        ].join(' ')}>`,
    )
    .replace(/\s+/g, ' ')
    .replace(/> </g, '><')
    .trim();
