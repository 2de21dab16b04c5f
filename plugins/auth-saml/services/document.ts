/** What a response may look like before anything in it is believed. */

/** Bytes of a response. */
export const maxResponse = 512 * 1024;
/** Some 2000 groups of a person take 4000. */
const maxTags = 20_000;
const maxDepth = 50;
/** Providers may declare two namespaces for each group of a person; each declaration costs time in every later one. */
const maxNamespaces = 6000;

const signatureNamespace = 'http://www.w3.org/2000/09/xmldsig#';
const encryptionNamespace = 'http://www.w3.org/2001/04/xmlenc#';
/** The library finds these by their local names, whatever their namespace. */
const expectedNamespaces = {
  EncryptedAssertion: 'urn:oasis:names:tc:SAML:2.0:assertion',
  EncryptedData: encryptionNamespace,
  EncryptedKey: encryptionNamespace,
  EncryptionMethod: encryptionNamespace,
  SignatureMethod: signatureNamespace,
  DigestMethod: signatureNamespace,
} as const;

const declaration = /^\s*<\?xml [^<>]*\?>/;
/** What follows a `<`: name, attributes, and `/` where the tag is empty. */
const openingTag = /^([^\s"'<>/=]+)((?:\s+[^\s"'<>/=]+\s*=\s*(?:"[^"]*"|'[^']*'))*)\s*(\/?)>/;
const closingTag = /^\/([^\s"'<>/=]+)\s*>/;

/** Without SHA-1 and MD5 (RFC 9231). */
export const signatureAlgorithms = new Set(
  ['rsa-sha256', 'rsa-sha384', 'rsa-sha512'].map((name) => `http://www.w3.org/2001/04/xmldsig-more#${name}`),
);
const digestAlgorithms = new Set([
  'http://www.w3.org/2001/04/xmlenc#sha256',
  'http://www.w3.org/2001/04/xmldsig-more#sha384',
  'http://www.w3.org/2001/04/xmlenc#sha512',
]);
/** Without RSA 1.5, which leaks what is encrypted, and triple DES. */
const encryptionAlgorithms = new Set([
  ...['aes128-cbc', 'aes256-cbc', 'rsa-oaep-mgf1p'].map((name) => `${encryptionNamespace}${name}`),
  ...['aes128-gcm', 'aes256-gcm', 'rsa-oaep'].map((name) => `http://www.w3.org/2009/xmlenc11#${name}`),
]);

/** Why a response is not taken. English, for the log. */
export class ResponseRefused extends Error {}

/**
 * Refuses what no provider sends and attacks are made of: document types and with them entities, comments, which split
 * texts, CDATA sections, processing instructions, documents that are too large or too deep, signatures by SHA-1, weak encryption.
 *
 * @returns whether the assertion is encrypted
 * @throws ResponseRefused
 */
export async function checkDocument(xml: string): Promise<{ readonly isEncrypted: boolean }> {
  if (xml.length > maxResponse) throw new ResponseRefused('the response is too large');
  refuseMarkup(xml);
  if (xml.split('<').length > maxTags) throw new ResponseRefused('the response has too many tags');
  refuseNesting(xml);
  const document = await parsed(xml);
  const of = (name: keyof typeof expectedNamespaces) => {
    const elements = Array.from(document.getElementsByTagNameNS('*', name));
    if (elements.some(({ namespaceURI }) => namespaceURI !== expectedNamespaces[name]))
      throw new ResponseRefused(`an element ${name} is in another namespace`);
    return elements;
  };
  const algorithmsOf = (elements: readonly Element[]) => elements.map((one) => one.getAttribute('Algorithm') ?? '');
  const signatures = of('SignatureMethod');
  const digests = of('DigestMethod').filter(({ parentNode }) => {
    const parent = parentNode as Element | null;
    return parent?.localName !== 'EncryptionMethod';
  });
  const encryptions = of('EncryptionMethod');
  const encrypted = [...of('EncryptedAssertion'), ...of('EncryptedData'), ...of('EncryptedKey')];
  for (const [given, known] of [
    [algorithmsOf(signatures), signatureAlgorithms],
    [algorithmsOf(digests), digestAlgorithms],
    [algorithmsOf(encryptions), encryptionAlgorithms],
  ] as const) {
    const other = given.find((one) => !known.has(one));
    if (other !== undefined) throw new ResponseRefused(`the algorithm "${other.slice(0, 100)}" is not taken`);
  }
  return { isEncrypted: encrypted.length > 0 };
}

/** What a request to sign out says beside the name of the person (SAML core, 3.7.1). */
export interface LogoutRequest {
  readonly id: string;
  /** Milliseconds since 1970 UTC; NaN where it is missing. */
  readonly issuedAt: number;
  /** Where it was sent. */
  readonly destination: string;
  /** Sessions at the provider; none: all of the person. */
  readonly indexes: readonly string[];
}

const protocolNamespace = 'urn:oasis:names:tc:SAML:2.0:protocol';

/** @throws ResponseRefused where it is no such request, or like no provider's: see {@link checkDocument} */
export async function readLogoutRequest(xml: string): Promise<LogoutRequest> {
  await checkDocument(xml);
  const root = (await parsed(xml)).documentElement as Element | null;
  if (root?.localName !== 'LogoutRequest' || root.namespaceURI !== protocolNamespace)
    throw new ResponseRefused('it is no request to sign out');
  const indexes = Array.from(root.getElementsByTagNameNS(protocolNamespace, 'SessionIndex'));
  return {
    id: root.getAttribute('ID') ?? '',
    issuedAt: Date.parse(root.getAttribute('IssueInstant') ?? ''),
    destination: root.getAttribute('Destination') ?? '',
    indexes: indexes.map(({ textContent }) => textContent?.trim() ?? ''),
  };
}

/** @throws ResponseRefused */
function refuseMarkup(xml: string): void {
  if (xml.includes('<!')) throw new ResponseRefused('the response has a document type, a comment or a CDATA section');
  if (xml.replace(declaration, '').includes('<?'))
    throw new ResponseRefused('the response has a processing instruction');
}

/**
 * Looks at the text, since parsing what is deep, or has many namespaces, takes the time that this is to save.
 *
 * @throws ResponseRefused
 */
function refuseNesting(xml: string): void {
  const open: string[] = [];
  let namespaces = 0;
  for (const piece of xml.replace(declaration, '').split('<').slice(1)) {
    const closed = closingTag.exec(piece);
    const opened = closed ? undefined : openingTag.exec(piece);
    if (closed ? open.pop() !== closed[1] : !opened)
      throw new ResponseRefused('the response is no XML: unbalanced tags');
    if (!opened) continue;
    const [, name = '', attributes = '', slash] = opened;
    namespaces += attributes.match(/\sxmlns[\s:=]/g)?.length ?? 0;
    if (slash === '') open.push(name);
    if (open.length > maxDepth) throw new ResponseRefused('the tags of the response are too deep');
    if (namespaces > maxNamespaces) throw new ResponseRefused('the response declares too many namespaces');
  }
}

/** The library is loaded with the first response. */
async function parsed(xml: string): Promise<Document> {
  const { DOMParser } = await import('@xmldom/xmldom');
  const fail = (reason: string) => {
    throw new ResponseRefused(`the response is no XML: ${reason.slice(0, 200)}`);
  };
  return new DOMParser({ errorHandler: { warning: fail, error: fail, fatalError: fail } }).parseFromString(
    xml,
    'text/xml',
  );
}
