import { Joi } from '@mortise/plugin-sdk';

export interface AcmeSettings {
  readonly ENABLE_ACME: boolean;
  readonly ACME_URL: string;
  readonly ACME_ACCEPTTOS: boolean;
  readonly ACME_EMAIL: string;
  readonly ACME_CA_ROOT: string;
}

/** The keys of `[server]` that are about ACME (RFC 8555). */
export const acmeSettings = Joi.object<AcmeSettings, true>({
  ENABLE_ACME: Joi.boolean()
    .default(false)
    .description(
      'With PROTOCOL = https, get the certificate of the host in ROOT_URL from an ACME server, and renew it; its server asks for it on port 80, see PORT_TO_REDIRECT',
    ),
  ACME_URL: Joi.string()
    .allow('')
    .default('')
    .description("Address of the ACME server's directory; empty: Let's Encrypt"),
  ACME_ACCEPTTOS: Joi.boolean()
    .default(false)
    .description('The terms of service of the ACME server are accepted; ENABLE_ACME needs it'),
  ACME_EMAIL: Joi.string().allow('').default('').description('Where the ACME server writes to; empty: nowhere'),
  ACME_CA_ROOT: Joi.string()
    .allow('')
    .default('')
    .description('File with the root certificate of an ACME server that the system does not trust'),
});
