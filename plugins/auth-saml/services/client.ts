import { randomBytes } from 'node:crypto';
import { inflateRawSync } from 'node:zlib';
import type { Profile, SAML } from '@node-saml/node-saml';
import type { Site } from '@mortise/plugin-sdk';
import type { SourceSession } from '@mortise/sessions/api';
import { acsUrl, logoutUrl, metadataUrl, type Source } from '../routes/active-sources.js';
import {
  checkDocument,
  maxResponse,
  readLogoutRequest,
  ResponseRefused,
  signatureAlgorithms,
  type LogoutRequest,
} from './document.js';
import type { Attributes, ProviderSession } from './identity.js';
import { certificatesIn, type NameIdFormat } from './source-settings.js';

/** How long somebody may be at the provider, and an assertion may be on its way. */
export const requestLifetimeMs = 10 * 60_000;
/** Characters that are kept of what the library says of a response: it repeats unsigned text of any length. */
const maxReason = 300;
/** How much clocks may differ. */
const skewMs = 60_000;
/** So long after it arrived, an assertion is refused for its age alone. */
export const assertionLifetimeMs = requestLifetimeMs + 2 * skewMs;

const formats: Readonly<Record<NameIdFormat, string>> = {
  persistent: 'urn:oasis:names:tc:SAML:2.0:nameid-format:persistent',
  emailAddress: 'urn:oasis:names:tc:SAML:1.1:nameid-format:emailAddress',
  unspecified: 'urn:oasis:names:tc:SAML:1.1:nameid-format:unspecified',
};

/** What a provider has signed. */
export interface Assertion {
  readonly id: string;
  /** Id of the request that it answers. */
  readonly requestId: string;
  readonly nameId: string;
  readonly attributes: Attributes;
  /** Absent where its names are too long to be kept. */
  readonly session?: ProviderSession;
}

/** What the name of a person is told with (SAML core, 2.2.2): providers compare it when a session ends. */
type NameIdQualities = Partial<Pick<Profile, 'nameIDFormat' | 'nameQualifier' | 'spNameQualifier'>>;
/** Bytes of JSON. */
const maxSession = 1500;

/** Undefined also for who has no name there: neither side could tell the other whom it means. */
function sessionOf({ nameID, sessionIndex = '', nameIDFormat, nameQualifier, spNameQualifier }: Profile) {
  if (!nameID) return undefined;
  const qualities: NameIdQualities = {
    nameIDFormat,
    ...(nameQualifier && { nameQualifier }),
    ...(spNameQualifier && { spNameQualifier }),
  };
  const session: ProviderSession = { subject: nameID, index: sessionIndex, data: JSON.stringify(qualities) };
  return Buffer.byteLength(JSON.stringify(session)) > maxSession ? undefined : session;
}

/** Parameters of the redirect binding (SAML bindings, 3.4.4.1), in the order in which they are signed. */
const signedParameters = ['SAMLRequest', 'RelayState', 'SigAlg'] as const;

/** Elements of an assertion as the library reads them: attributes below `$`, text in `_`, children in lists. */
interface XmlElement {
  readonly $?: Readonly<Record<string, string | undefined>>;
  readonly _?: string;
  readonly [child: string]: unknown;
}

/** As XML wants it: not beginning with a digit. */
const newId = (): string => `_${randomBytes(20).toString('hex')}`;
const idForm = /^_[\da-f]{40}$/;

const childrenOf = (element: XmlElement | undefined, name: string): readonly XmlElement[] =>
  (element?.[name] as readonly XmlElement[] | undefined) ?? [];

/** @throws ResponseRefused for what is packed otherwise, or large */
function inflated(packed: string): string {
  try {
    return inflateRawSync(Buffer.from(packed, 'base64'), { maxOutputLength: maxResponse }).toString('utf8');
  } catch (error) {
    throw new ResponseRefused('the request cannot be unpacked', { cause: error });
  }
}

/** The side of this site in SAML 2.0 Web SSO (profiles, 4.1): requests by redirect, responses by POST. */
export class SamlClient {
  constructor(private readonly site: Site) {}

  entityId(source: Source): string {
    return source.settings.entityId || metadataUrl(this.site, source);
  }

  /** What administrators of the provider read in. */
  async metadata(source: Source): Promise<string> {
    const saml = await this.#library(source, {});
    const { certificate } = source.settings;
    const metadata = saml.generateServiceProviderMetadata(certificate || null, certificate || null);
    // the library writes the binding that this site does not have
    return metadata.replace(/(<SingleLogoutService Binding="[^"]*:)HTTP-POST"/, '$1HTTP-Redirect"');
  }

  /** Where the browser is sent to, and the id of the request, which belongs to that browser. */
  async request(source: Source): Promise<{ readonly id: string; readonly url: string }> {
    const id = newId();
    const saml = await this.#library(source, { requestId: id });
    return { id, url: await saml.getAuthorizeUrlAsync('', undefined, {}) };
  }

  /**
   * What a response tells, where it is signed by the provider, meant for this site, in time and an answer to a request. That it
   * was not used before, and that it is this browser's request, the caller sees to.
   *
   * @param encoded the field `SAMLResponse`
   * @throws ResponseRefused for every other
   */
  async assertion(source: Source, encoded: string): Promise<Assertion> {
    const xml = Buffer.from(encoded, 'base64').toString('utf8');
    const { isEncrypted } = await checkDocument(xml);
    const saml = await this.#library(source, { isEncrypted });
    let profile: Profile | null;
    try {
      ({ profile } = await saml.validatePostResponseAsync({ SAMLResponse: encoded }));
    } catch (error) {
      // whatever the library stumbles over, such as tags that are too deep, is no fault of this site
      throw new ResponseRefused((error as Error).message.slice(0, maxReason), { cause: error });
    }
    if (!profile?.getAssertion || !profile.getAssertionXml) throw new ResponseRefused('there is no assertion');
    // an encrypted assertion could not be checked before
    await checkDocument(profile.getAssertionXml());
    const session = sessionOf(profile);
    const { Assertion: signed } = profile.getAssertion() as { readonly Assertion: XmlElement };
    return {
      ...this.#checkSubject(source, signed),
      nameId: profile.nameID ?? '',
      attributes: (profile.attributes as Attributes | undefined) ?? {},
      ...(session && { session }),
    };
  }

  /** Where the browser is sent to end the session there, too. */
  async logoutUrl(source: Source, { subject, index, data }: SourceSession): Promise<string> {
    const saml = await this.#library(source, {});
    const qualities = JSON.parse(data) as NameIdQualities;
    const user = { issuer: '', nameIDFormat: '', ...qualities, nameID: subject, ...(index && { sessionIndex: index }) };
    return saml.getLogoutUrlAsync(user, '', {});
  }

  /**
   * A request of the provider to end sessions, where it has signed it, for this address and just now. A second one of the same
   * minutes finds nothing more to end.
   *
   * @param query of the address, as it came
   * @returns where the browser is sent to with the answer, once the sessions have ended
   * @throws ResponseRefused for every other
   */
  async logoutRequest(
    source: Source,
    query: string,
  ): Promise<{ readonly subject: string; readonly indexes: readonly string[]; answerUrl(): Promise<string> }> {
    const given = new URLSearchParams(query);
    const twice = [...signedParameters, 'Signature'].find((name) => given.getAll(name).length > 1);
    if (twice) throw new ResponseRefused(`the parameter ${twice} comes twice`);
    const pieces = query.split('&');
    const signed = signedParameters.flatMap((name) => pieces.filter((piece) => piece.startsWith(`${name}=`))).join('&');
    const { SAMLRequest = '', SigAlg = '', RelayState = '' } = Object.fromEntries(new URLSearchParams(signed));
    const Signature = given.get('Signature');
    // the library takes what is not signed
    if (!Signature || !signatureAlgorithms.has(SigAlg))
      throw new ResponseRefused('the request is not signed by RSA and SHA-256');
    const request = await readLogoutRequest(inflated(SAMLRequest));
    const saml = await this.#library(source, {});
    let profile: Profile | null;
    try {
      ({ profile } = await saml.validateRedirectAsync({ SAMLRequest, Signature, SigAlg }, signed));
    } catch (error) {
      throw new ResponseRefused((error as Error).message.slice(0, maxReason), { cause: error });
    }
    if (!profile) throw new ResponseRefused('there is no request');
    const { nameID, ID } = profile;
    this.#checkLogoutRequest(source, request, ID);
    return {
      subject: nameID,
      indexes: request.indexes,
      answerUrl: () => saml.getLogoutResponseUrlAsync(profile, RelayState, {}, true),
    };
  }

  #checkLogoutRequest(source: Source, { id, issuedAt, destination }: LogoutRequest, readId: string | undefined): void {
    if (id === '' || id !== readId) throw new ResponseRefused('the request has no id');
    if (!(Math.abs(Date.now() - issuedAt) <= requestLifetimeMs))
      throw new ResponseRefused('the request is of another time');
    // what is signed says where it goes (SAML bindings, 3.4.5.2)
    if (destination !== logoutUrl(this.site, source)) throw new ResponseRefused('the request is for another address');
  }

  /** What the library leaves open (profiles, 4.1.4.3), looked at in what is signed alone. */
  #checkSubject(source: Source, assertion: XmlElement): Pick<Assertion, 'id' | 'requestId'> {
    const id = assertion.$?.ID ?? '';
    if (id === '') throw new ResponseRefused('the assertion has no id');
    // an assertion of the future would outlive what is remembered of it
    if (!(Date.parse(assertion.$?.IssueInstant ?? '') <= Date.now() + skewMs))
      throw new ResponseRefused('the assertion is of the future');
    const issuers = childrenOf(assertion, 'Issuer').map((one) => one._?.trim());
    if (issuers.length !== 1 || issuers[0] !== source.settings.idpIssuer)
      throw new ResponseRefused('the assertion is of another issuer');
    const [subject, ...others] = childrenOf(assertion, 'Subject');
    if (others.length > 0) throw new ResponseRefused('the assertion has several subjects');
    const confirmation = childrenOf(subject, 'SubjectConfirmation')
      .filter((one) => one.$?.Method === 'urn:oasis:names:tc:SAML:2.0:cm:bearer')
      .flatMap((one) => childrenOf(one, 'SubjectConfirmationData').map(({ $ = {} }) => $))
      .find(
        ({ Recipient, NotBefore, NotOnOrAfter = '', InResponseTo = '' }) =>
          Recipient === acsUrl(this.site, source) &&
          NotBefore === undefined &&
          Date.parse(NotOnOrAfter) + skewMs > Date.now() &&
          idForm.test(InResponseTo),
      );
    if (!confirmation)
      throw new ResponseRefused('no confirmation of the subject is for this address, in time and asked for');
    return { id, requestId: confirmation.InResponseTo! };
  }

  async #library(source: Source, { requestId = newId(), isEncrypted = false }): Promise<SAML> {
    const { SAML: Library, ValidateInResponseTo } = await import('@node-saml/node-saml');
    const { settings } = source;
    const {
      entryPoint,
      logoutUrl: providerLogoutUrl,
      idpIssuer,
      idpCertificates,
      nameIdFormat,
      privateKey,
      certificate,
    } = settings;
    const entityId = this.entityId(source);
    const now = new Date().toISOString();
    return new Library({
      callbackUrl: acsUrl(this.site, source),
      entryPoint,
      ...(providerLogoutUrl && { logoutUrl: providerLogoutUrl, logoutCallbackUrl: logoutUrl(this.site, source) }),
      issuer: entityId,
      audience: entityId,
      idpIssuer,
      idpCert: [...certificatesIn(idpCertificates)],
      identifierFormat: formats[nameIdFormat],
      disableRequestedAuthnContext: true,
      acceptedClockSkewMs: skewMs,
      maxAssertionAgeMs: requestLifetimeMs,
      // one signature is always wanted; what is encrypted is decrypted only where the provider has signed it
      wantAssertionsSigned: false,
      wantAuthnResponseSigned: settings.wantsSignedResponse || isEncrypted,
      signatureAlgorithm: 'sha256',
      digestAlgorithm: 'sha256',
      ...(privateKey && { privateKey, publicCert: certificate, decryptionPvk: privateKey }),
      generateUniqueId: () => requestId,
      // the browser keeps the id of its request, and not this process: the caller compares them
      validateInResponseTo: ValidateInResponseTo.always,
      requestIdExpirationPeriodMs: requestLifetimeMs,
      cacheProvider: {
        saveAsync: async () => null,
        getAsync: async () => now,
        removeAsync: async () => null,
      },
    });
  }
}
