import { BadRequest } from '@mortise/plugin-sdk';

/** An element of a description in XML; prefixes of names are left out. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Text directly in it, trimmed. */
  readonly text: string;
}

interface Growing extends XmlElement {
  readonly children: Growing[];
  text: string;
}

const maxDepth = 100;
const maxElements = 50_000;
const entities: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

const unescape = (text: string): string =>
  text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(\w{1,10}));/gi,
    (all, hex?: string, number?: string, name?: string) => {
      if (name !== undefined) return entities[name] ?? all;
      const code = hex ? parseInt(hex, 16) : Number(number);
      return code > 0 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff) ? String.fromCodePoint(code) : all;
    },
  );

/** Text for element contents and attributes; what XML cannot hold is left out. */
export const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '')
    .replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const local = (name: string) => name.slice(name.indexOf(':') + 1);
const broken = () => BadRequest('The XML of the package cannot be read.');

/** Reads small XML (descriptions of packages). Document types, and so entities of one's own, are refused. */
export function readXml(text: string): XmlElement {
  const root: Growing = { name: '', attributes: {}, children: [], text: '' };
  const open: Growing[] = [root];
  const token =
    /<!--[^]*?-->|<!\[CDATA\[([^]*?)\]\]>|<\?[^]*?\?>|<\/([^\s<>]+)\s*>|<([^\s<>/!?]+)((?:\s+[^\s<>=/]+\s*=\s*(?:"[^"<]*"|'[^'<]*'))*)\s*(\/?)>|([^<]+)/gy;
  let count = 0;
  token.lastIndex = text.charCodeAt(0) === 0xfeff ? 1 : 0;
  while (token.lastIndex < text.length) {
    const found = token.exec(text);
    if (!found) throw broken();
    const [, data, close, name, attributes = '', isEmpty, words] = found;
    const top = open.at(-1)!;
    if (data !== undefined) top.text += data;
    else if (words !== undefined) top.text += unescape(words);
    else if (close !== undefined) {
      if (open.length === 1 || top.name !== local(close)) throw broken();
      top.text = top.text.trim();
      open.pop();
    } else if (name !== undefined) {
      if (++count > maxElements) throw broken();
      const element: Growing = { name: local(name), attributes: attributesOf(attributes), children: [], text: '' };
      top.children.push(element);
      if (isEmpty) continue;
      if (open.push(element) > maxDepth) throw broken();
    }
  }
  const [first, ...more] = root.children;
  if (open.length > 1 || !first || more.length > 0) throw broken();
  return first;
}

function attributesOf(text: string): Record<string, string> {
  const found: Record<string, string> = {};
  for (const [, name, a, b] of text.matchAll(/([^\s=]+)\s*=\s*(?:"([^"]*)"|'([^']*)')/g))
    found[local(name!)] = unescape(a ?? b ?? '');
  return found;
}

/** The first child of that name. */
export const xmlChild = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((child) => child.name === name);

/** Text of the child, empty when there is none. */
export const xmlText = (element: XmlElement | undefined, name: string): string => xmlChild(element, name)?.text ?? '';
