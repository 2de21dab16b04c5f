import { Joi } from '@mortise/plugin-sdk';

export interface SspiSettings {
  SERVICE_NAME: string;
  KEYTAB: string;
  CHALLENGE_PAGES: boolean;
  ENABLE_API: boolean;
  ENABLE_GIT: boolean;
}

/** `[sspi]`: what belongs to this server, not to a source; files are not named on pages. */
export const sspiSettings = Joi.object<SspiSettings, true>({
  SERVICE_NAME: Joi.string()
    .allow('')
    .max(255)
    .pattern(/^[\w.-]+@[\w.-]+$/)
    .default('')
    .description(
      'Kerberos service that tickets are for, such as HTTP@code.example.com; empty: HTTP and the host of ROOT_URL.',
    ),
  KEYTAB: Joi.string()
    .allow('')
    .max(1000)
    .default('')
    .description('File with the keys of the service; empty: as the Kerberos configuration of the system says.'),
  CHALLENGE_PAGES: Joi.boolean()
    .default(true)
    .description(
      'Ask browsers for Negotiate on pages that need a sign-in. Off: only on the sign-in page, by its button.',
    ),
  ENABLE_API: Joi.boolean().default(false).description('The API takes Negotiate too.'),
  ENABLE_GIT: Joi.boolean().default(false).description('Git over HTTP and package clients may use Negotiate too.'),
});
