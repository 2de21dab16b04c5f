/**
 * For islands, in the browser: the address of a path of this site, `siteUrl('/-/markup/diagram')`, wherever the site
 * stands. Islands are served at `/assets/HASH/NAME` below the site's address.
 */
export function siteUrl(path: `/${string}`): string {
  const [site] = import.meta.url.split('/assets/');
  return `${site}${path}`;
}

/**
 * For islands, in the browser: the texts that `<IslandTexts name="…">` put into the page. Placeholders are `{name}`;
 * without the element in the page a key stands for itself.
 */
export function islandTexts<K extends string>(
  name: string,
): (key: K, values?: Readonly<Record<string, string | number>>) => string {
  const { document } = globalThis as unknown as {
    document: { querySelector(selector: string): { dataset: Record<string, string | undefined> } | null };
  };
  const messages = JSON.parse(document.querySelector(`[data-texts="${name}"]`)?.dataset.messages ?? '{}') as Record<
    string,
    string | undefined
  >;
  return (key, values = {}) =>
    (messages[key] ?? key).replace(/\{(\w+)\}/g, (whole, placeholder: string) => String(values[placeholder] ?? whole));
}

interface IconSymbol {
  readonly id: string;
}
interface Sprite {
  append(symbol: IconSymbol): void;
  remove(): void;
}
interface PageWithIcons {
  getElementById(id: string): unknown;
  querySelector(selector: '.sprite'): Sprite | null;
}

/**
 * For islands, in the browser: gives this page the icons that a fragment or another page brings and that are not here
 * yet, and takes them out of where they were. To be called before a part of `from` is added, so that each icon is there,
 * and its id once.
 */
export function adoptIcons(from: {
  querySelectorAll(selector: '.sprite' | '.sprite symbol'): Iterable<IconSymbol & Pick<Sprite, 'remove'>>;
}): void {
  const { document } = globalThis as unknown as { document: PageWithIcons };
  const sprite = document.querySelector('.sprite');
  if (!sprite) return;
  for (const symbol of from.querySelectorAll('.sprite symbol'))
    if (!document.getElementById(symbol.id)) sprite.append(symbol);
  for (const other of from.querySelectorAll('.sprite')) other.remove();
}
