import { createRequire } from 'node:module';
import { BadRequest } from '@mortise/plugin-sdk';
import type { X2jOptions } from 'fast-xml-parser';

// read with the first upload that needs it, not at the start
const require = createRequire(import.meta.url);

/** An element of a description in XML; prefixes of names are left out. */
export interface XmlElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly XmlElement[];
  /** Text directly in it, trimmed. */
  readonly text: string;
}

/** Characters; the library holds the process up for long with more. */
const maxLength = 1024 * 1024;
const maxDepth = 100;
const maxElements = 50_000;

/** Text for element contents and attributes; what XML cannot hold is left out. */
export const escapeXml = (text: string): string =>
  text
    .toWellFormed()
    .replace(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]/g, '')
    .replace(/[<>&"']/g, (sign) => `&#${sign.charCodeAt(0)};`);

const broken = () => BadRequest('The XML of the package cannot be read.');

/** What the library gives of an element: its children by its name, and its attributes. */
type Parsed = Readonly<Record<string, unknown>>;
const attributesKey = ':@';
const textKey = '#text';

const options = {
  preserveOrder: true,
  removeNSPrefix: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
  parseTagValue: false,
  parseAttributeValue: false,
  trimValues: false,
  ignoreDeclaration: true,
  ignorePiTags: true,
  maxNestedTags: maxDepth,
  // numbers such as `&#65;` too
  htmlEntities: true,
  // a document type may define one entity of one character, so that nothing grows
  processEntities: { maxEntityCount: 1, maxEntitySize: 1, maxExpandedLength: Infinity },
  jPath: false,
} satisfies X2jOptions;

/** Reads small XML (descriptions of packages). Entities of one's own are refused. */
export function readXml(text: string): XmlElement {
  const { XMLParser, XMLValidator } = require('fast-xml-parser') as typeof import('fast-xml-parser');
  if (text.length > maxLength) throw broken();
  let count = 0;
  const updateTag = (name: string) => {
    if (++count > maxElements) throw broken();
    return name;
  };
  let roots: readonly XmlElement[];
  try {
    const xml = text.replace(/^\ufeff/, '');
    if (XMLValidator.validate(xml) !== true) throw broken();
    roots = elementsOf(new XMLParser({ ...options, updateTag }).parse(xml) as readonly Parsed[]);
  } catch {
    throw broken();
  }
  const [first, ...more] = roots;
  if (!first || more.length > 0) throw broken();
  return first;
}

function elementsOf(parsed: readonly Parsed[]): XmlElement[] {
  return parsed.flatMap((one) => {
    const name = Object.keys(one).find((key) => key !== attributesKey && key !== textKey);
    if (name === undefined) return [];
    const children = one[name] as readonly Parsed[];
    return {
      name,
      attributes: (one[attributesKey] ?? {}) as Record<string, string>,
      children: elementsOf(children),
      text: children
        .map((child) => child[textKey] ?? '')
        .join('')
        .trim(),
    };
  });
}

/** The first child of that name. */
export const xmlChild = (element: XmlElement | undefined, name: string): XmlElement | undefined =>
  element?.children.find((child) => child.name === name);

/** Text of the child, empty when there is none. */
export const xmlText = (element: XmlElement | undefined, name: string): string => xmlChild(element, name)?.text ?? '';
