import { Joi } from '@mortise/plugin-sdk';

type AccountLinking = 'disabled' | 'login' | 'auto';
export type UsernameSource = 'userid' | 'nickname' | 'preferred_username' | 'email';

export interface ClientSettings {
  /** Absent: as `[service]` says. */
  REGISTER_EMAIL_CONFIRM?: boolean;
  OPENID_CONNECT_SCOPES: string;
  ENABLE_AUTO_REGISTRATION: boolean;
  USERNAME: UsernameSource;
  UPDATE_AVATAR: boolean;
  ACCOUNT_LINKING: AccountLinking;
}

/** `[oauth2_client]` */
export const clientSettings = Joi.object<ClientSettings, true>({
  REGISTER_EMAIL_CONFIRM: Joi.boolean()
    .empty('')
    .description('New accounts of OAuth2 sources have to be activated by mail; empty: as [service] says.'),
  OPENID_CONNECT_SCOPES: Joi.string()
    .allow('')
    .default('')
    .description(
      'Scopes that OpenID Connect sources are asked for where they set none, by spaces or commas; openid is always asked for. Empty: profile email.',
    ),
  ENABLE_AUTO_REGISTRATION: Joi.boolean()
    .default(false)
    .description(
      'Who comes from an OAuth2 source for the first time gets an account without being asked, also while DISABLE_REGISTRATION holds.',
    ),
  USERNAME: Joi.string()
    .valid('userid', 'nickname', 'preferred_username', 'email')
    .default('nickname')
    .description(
      'What becomes the name of a new account: userid (sub), nickname, preferred_username, or email. Of an address what stands before the @.',
    ),
  UPDATE_AVATAR: Joi.boolean()
    .default(false)
    .description('The picture of an account follows that of the provider at each sign-in.'),
  ACCOUNT_LINKING: Joi.string()
    .valid('disabled', 'login', 'auto')
    .default('login')
    .description(
      'When an account with that name or address exists: disabled refuses, login asks for its password, auto links it where the provider has verified the address and its owner has proved it here, and otherwise asks.',
    ),
});
