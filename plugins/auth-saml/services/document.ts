/** What a response may look like before anything in it is believed. */

/** Bytes of a response. */
export const maxResponse = 512 * 1024;
/** Some 2000 groups of a person take 4000. */
const maxTags = 20_000;
const maxDepth = 50;

const signatureNamespace = 'http://www.w3.org/2000/09/xmldsig#';
const encryptionNamespace = 'http://www.w3.org/2001/04/xmlenc#';

/** Without SHA-1 and MD5 (RFC 9231). */
const signatureAlgorithms = new Set(
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
  const document = await parsed(xml);
  refuseDepth(document);
  const of = (namespace: string, name: string) => Array.from(document.getElementsByTagNameNS(namespace, name));
  const algorithmsOf = (elements: readonly Element[]) => elements.map((one) => one.getAttribute('Algorithm') ?? '');
  const signatures = of(signatureNamespace, 'SignatureMethod');
  const digests = of(signatureNamespace, 'DigestMethod').filter(({ parentNode }) => {
    const parent = parentNode as Element | null;
    return parent?.localName !== 'EncryptionMethod';
  });
  const encryptions = of(encryptionNamespace, 'EncryptionMethod');
  for (const [given, known] of [
    [algorithmsOf(signatures), signatureAlgorithms],
    [algorithmsOf(digests), digestAlgorithms],
    [algorithmsOf(encryptions), encryptionAlgorithms],
  ] as const) {
    const other = given.find((one) => !known.has(one));
    if (other !== undefined) throw new ResponseRefused(`the algorithm "${other.slice(0, 100)}" is not taken`);
  }
  return { isEncrypted: of(encryptionNamespace, 'EncryptedData').length > 0 };
}

/** @throws ResponseRefused */
export function refuseMarkup(xml: string): void {
  if (xml.includes('<!')) throw new ResponseRefused('the response has a document type, a comment or a CDATA section');
  if (xml.replace(/^\s*<\?xml [^<>]*\?>/, '').includes('<?'))
    throw new ResponseRefused('the response has a processing instruction');
}

/** @throws ResponseRefused */
function refuseDepth(document: Document): void {
  let level: readonly Node[] = [document];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > maxDepth) throw new ResponseRefused('the tags of the response are too deep');
    level = level.flatMap((node) => Array.from(node.childNodes ?? []));
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
