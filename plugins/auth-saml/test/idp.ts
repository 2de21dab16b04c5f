/** A provider of SAML 2.0 for tests: signs with a key of its own whatever a test asks for. */
import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inflateRawSync } from 'node:zlib';
import { SignedXml } from 'xml-crypto';
import { encrypt } from 'xml-encryption';

export interface KeyPair {
  readonly key: string;
  readonly certificate: string;
}

/** An RSA key with a certificate, both in PEM. */
export function makeKeyPair(): KeyPair {
  const folder = mkdtempSync(join(tmpdir(), 'mortise-saml-'));
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const args = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=idp.example'];
  execFileSync('openssl', [...args, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  const pair = { key: readFileSync(key, 'utf8'), certificate: readFileSync(certificate, 'utf8') };
  rmSync(folder, { recursive: true });
  return pair;
}

/** What the redirect to the provider holds. */
export interface SamlRequest {
  readonly id: string;
  readonly issuer: string;
  readonly acs: string;
  readonly isSigned: boolean;
}

export function readRequest(location: string): SamlRequest {
  const { searchParams } = new URL(location);
  const xml = inflateRawSync(Buffer.from(searchParams.get('SAMLRequest')!, 'base64')).toString('utf8');
  const of = (pattern: RegExp) => pattern.exec(xml)?.[1] ?? '';
  return {
    id: of(/ ID="([^"]+)"/),
    issuer: of(/<saml:Issuer[^>]*>([^<]+)</),
    acs: of(/AssertionConsumerServiceURL="([^"]+)"/),
    isSigned: searchParams.has('Signature') && searchParams.get('SigAlg')!.endsWith('rsa-sha256'),
  };
}

/** What a response says; each default is right. */
export interface Said {
  readonly nameId?: string;
  readonly attributes?: Readonly<Record<string, readonly string[]>>;
  readonly id?: string;
  readonly issuer?: string;
  readonly audience?: string;
  readonly recipient?: string;
  readonly inResponseTo?: string;
  /** Of the assertion alone. */
  readonly confirmedRequest?: string;
  readonly method?: string;
  /** Milliseconds from now. */
  readonly issued?: number;
  readonly notBefore?: number;
  readonly notOnOrAfter?: number;
  /** Instead of the XML in the name ID. */
  readonly nameXml?: string;
}

const namespaces =
  'xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion"';
const sha256 = {
  signature: 'http://www.w3.org/2001/04/xmldsig-more#rsa-sha256',
  digest: 'http://www.w3.org/2001/04/xmlenc#sha256',
};
export const sha1 = {
  signature: 'http://www.w3.org/2000/09/xmldsig#rsa-sha1',
  digest: 'http://www.w3.org/2000/09/xmldsig#sha1',
};
const exclusive = 'http://www.w3.org/2001/10/xml-exc-c14n#';

export const encoded = (xml: string): string => Buffer.from(xml).toString('base64');

export class TestIdp {
  readonly issuer = 'https://idp.example/metadata';
  readonly keys = makeKeyPair();

  assertion(request: SamlRequest, said: Said = {}): string {
    const at = (milliseconds: number) => new Date(Date.now() + milliseconds).toISOString();
    const { nameId = 'ada', attributes = {}, id = `_${randomUUID()}`, method = 'bearer' } = said;
    const [issued, from, until] = [said.issued ?? 0, said.notBefore ?? -1000, said.notOnOrAfter ?? 60_000].map(at);
    const requestId = said.confirmedRequest ?? said.inResponseTo ?? request.id;
    const confirmed = requestId && ` InResponseTo="${requestId}"`;
    const recipient = said.recipient ?? request.acs;
    const told = Object.entries(attributes).map(
      ([name, values]) =>
        `<saml:Attribute Name="${name}">${values
          .map((value) => `<saml:AttributeValue>${value}</saml:AttributeValue>`)
          .join('')}</saml:Attribute>`,
    );
    return (
      `<saml:Assertion ${namespaces} ID="${id}" Version="2.0" IssueInstant="${issued}">` +
      `<saml:Issuer>${said.issuer ?? this.issuer}</saml:Issuer>` +
      `<saml:Subject><saml:NameID>${said.nameXml ?? nameId}</saml:NameID>` +
      `<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:${method}">` +
      `<saml:SubjectConfirmationData NotOnOrAfter="${until}" Recipient="${recipient}"${confirmed}/>` +
      `</saml:SubjectConfirmation></saml:Subject>` +
      `<saml:Conditions NotBefore="${from}" NotOnOrAfter="${until}"><saml:AudienceRestriction>` +
      `<saml:Audience>${said.audience ?? request.issuer}</saml:Audience></saml:AudienceRestriction></saml:Conditions>` +
      `<saml:AuthnStatement AuthnInstant="${issued}"><saml:AuthnContext><saml:AuthnContextClassRef>` +
      'urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>' +
      `<saml:AttributeStatement>${told.join('')}</saml:AttributeStatement></saml:Assertion>`
    );
  }

  /** Around assertions, signed or not. */
  response(request: SamlRequest, content: string, said: Said = {}): string {
    const requestId = said.inResponseTo ?? request.id;
    return (
      `<samlp:Response ${namespaces} ID="_${randomUUID()}" Version="2.0" IssueInstant="${new Date().toISOString()}" ` +
      `Destination="${request.acs}"${requestId && ` InResponseTo="${requestId}"`}>` +
      `<saml:Issuer>${this.issuer}</saml:Issuer>` +
      '<samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>' +
      `${content}</samlp:Response>`
    );
  }

  /** Signs the element of that name, below the root or the root itself. */
  sign(xml: string, name: 'Assertion' | 'Response', { algorithms = sha256, key = this.keys.key } = {}): string {
    const element = `//*[local-name(.)='${name}']`;
    const signer = new SignedXml({
      privateKey: key,
      signatureAlgorithm: algorithms.signature,
      canonicalizationAlgorithm: exclusive,
    });
    signer.addReference({
      xpath: element,
      digestAlgorithm: algorithms.digest,
      transforms: ['http://www.w3.org/2000/09/xmldsig#enveloped-signature', exclusive],
    });
    signer.computeSignature(xml, {
      location: { reference: `${element}/*[local-name(.)='Issuer']`, action: 'after' },
      prefix: 'ds',
    });
    return signer.getSignedXml();
  }

  /** A response with one signed assertion. */
  answer(request: SamlRequest, said: Said = {}): string {
    return this.response(request, this.sign(this.assertion(request, said), 'Assertion'), said);
  }

  /** An assertion that only the holder of the certificate's key can read. */
  async encrypted(assertion: string, certificate: string, keyEncryption = 'rsa-oaep-mgf1p'): Promise<string> {
    const data = await promisify(encrypt)(assertion, {
      rsa_pub: certificate,
      pem: certificate,
      encryptionAlgorithm: 'http://www.w3.org/2009/xmlenc11#aes256-gcm',
      keyEncryptionAlgorithm: `http://www.w3.org/2001/04/xmlenc#${keyEncryption}`,
      warnInsecureAlgorithm: false,
    } as Parameters<typeof encrypt>[1]);
    return `<saml:EncryptedAssertion>${String(data)}</saml:EncryptedAssertion>`;
  }
}
