import { createPrivateKey, X509Certificate } from 'node:crypto';
import { Joi } from '@mortise/plugin-sdk';
import { groupTeamMapText } from '@mortise/organizations/api';

/** What a source is set to. */
export interface SamlSettings {
  /** Where people sign in, by the HTTP redirect binding. */
  readonly entryPoint: string;
  /** Where people sign out there, by the HTTP redirect binding; empty: signing out is a matter of each side alone. */
  readonly logoutUrl: string;
  /** Entity ID of the provider. */
  readonly idpIssuer: string;
  /** PEM: certificates whose keys sign, one or more. */
  readonly idpCertificates: string;
  /** Entity ID of this site; empty: the address of its metadata. */
  readonly entityId: string;
  readonly nameIdFormat: NameIdFormat;
  /** The response must be signed too, not only the assertion in it. */
  readonly wantsSignedResponse: boolean;
  /** PEM: signs requests and decrypts assertions; empty: neither. */
  readonly privateKey: string;
  /** PEM: of the private key, told in the metadata. */
  readonly certificate: string;
  /** Attribute by which people are known; empty: the name ID. */
  readonly loginNameAttribute: string;
  /** Empty: the name by which people are known. */
  readonly usernameAttribute: string;
  readonly emailAttribute: string;
  readonly fullNameAttribute: string;
  readonly groupsAttribute: string;
  /** Only people of this group may sign in. */
  readonly requiredGroup: string;
  readonly adminGroup: string;
  readonly restrictedGroup: string;
  /** JSON: name of the group → organization → teams. */
  readonly groupTeamMap: string;
  readonly groupTeamMapRemoval: boolean;
}

/** As a source holds them. */
export type StoredSettings = SamlSettings & Readonly<Record<string, unknown>>;

/** SAML core, 8.3; by the last part of their names. */
export const nameIdFormats = ['persistent', 'emailAddress', 'unspecified'] as const;
export type NameIdFormat = (typeof nameIdFormats)[number];

const certificateForm = /-----BEGIN CERTIFICATE-----[A-Za-z\d+/=\s]+-----END CERTIFICATE-----/g;

/** Each by itself. */
export const certificatesIn = (pem: string): readonly string[] => pem.match(certificateForm) ?? [];

const text = (max = 255) => Joi.string().allow('').trim().max(max).default('');
const flag = Joi.boolean().default(false);

const certificates = (max: number) =>
  text(65_536).custom((value: string, helpers) => {
    const found = certificatesIn(value);
    const isWhole = value.replace(certificateForm, '').trim() === '';
    if (!isWhole || found.length > max || !found.every(isCertificate)) return helpers.error('any.invalid');
    return value;
  });

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).publicKey.asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).asymmetricKeyType === 'rsa';
  } catch {
    return false;
  }
}

/** What is no key or no certificate is refused by itself. */
const isPair = (key: string, pem: string): boolean =>
  !isPrivateKey(key) || !isCertificate(pem) || new X509Certificate(pem).checkPrivateKey(createPrivateKey(key));

const privateKey = text(16_384).custom((value: string, helpers) =>
  value === '' || isPrivateKey(value) ? value : helpers.error('any.invalid'),
);

const certificate = certificates(1)
  .when('privateKey', { is: Joi.invalid('').required(), then: Joi.invalid('').required() })
  .custom((value: string, helpers) => {
    const [settings] = helpers.state.ancestors as readonly [Pick<SamlSettings, 'privateKey'>];
    return isPair(settings.privateKey, value) ? value : helpers.error('any.invalid');
  });

/** Requests to sign out are always signed (SAML profiles, 4.4.3.1). */
const logoutUrl = Joi.string()
  .trim()
  .max(2048)
  .uri({ scheme: ['https', 'http'] })
  .allow('')
  .default('')
  .when('privateKey', {
    is: Joi.valid('').required(),
    then: Joi.custom((value: string, helpers) => (value === '' ? value : helpers.error('any.invalid'))),
  });

/** Becomes empty, whatever was sent or stored. */
const removed = Joi.string().empty(Joi.any()).default('');

export const samlSchema = Joi.object<StoredSettings>({
  entryPoint: Joi.string()
    .trim()
    .max(2048)
    .uri({ scheme: ['https', 'http'] })
    .required(),
  logoutUrl,
  idpIssuer: text(1024).invalid('').required(),
  idpCertificates: certificates(10).invalid('').required(),
  entityId: text(1024),
  nameIdFormat: Joi.string()
    .valid(...nameIdFormats)
    .default('persistent'),
  wantsSignedResponse: flag,
  // is not stored: a form that leaves the key blank keeps it
  removeKey: flag.strip(),
  privateKey: Joi.when('removeKey', { is: true, then: removed, otherwise: privateKey }),
  certificate: Joi.when('removeKey', { is: true, then: removed, otherwise: certificate }),
  loginNameAttribute: text(),
  usernameAttribute: text(),
  emailAttribute: text().default('email'),
  fullNameAttribute: text(),
  groupsAttribute: text(),
  requiredGroup: text(),
  adminGroup: text(),
  restrictedGroup: text(),
  groupTeamMap: groupTeamMapText,
  groupTeamMapRemoval: flag,
});
