/** The contract of `oauth2-provider`: applications that act for people here (RFC 6749, OpenID Connect Core 1.0). */
import { defineGrant, definePoint, defineService, type Keyed } from '@mortise/plugin-sdk';
import type { Account } from '@mortise/accounts/api';

export interface OAuth2Application {
  readonly id: number;
  /** Account that it belongs to, also an organization; 0: the site. */
  readonly ownerId: number;
  readonly name: string;
  readonly clientId: string;
  /** Keeps a secret. Others, such as programs on people's computers, prove themselves by PKCE alone (RFC 7636). */
  readonly isConfidential: boolean;
  /** People are asked once, though it keeps no secret. */
  readonly skipsSecondConsent: boolean;
  readonly redirectUris: readonly string[];
  /** One of the programs that `[oauth2] DEFAULT_APPLICATIONS` names; only that setting changes it. */
  readonly isBuiltIn: boolean;
  /** Milliseconds since 1970 UTC. */
  readonly createdAt: number;
}

export type NewOAuth2Application = Pick<
  OAuth2Application,
  'name' | 'redirectUris' | 'isConfidential' | 'skipsSecondConsent'
>;

export interface OAuth2Applications {
  list(
    ownerId: number,
    page: { limit: number; offset: number },
  ): Promise<{ items: OAuth2Application[]; total: number }>;
  byId(id: number): Promise<OAuth2Application | undefined>;
  /** `secret` is shown once. Throws Invalid for a bad name and where there are too many, BadRequest for a bad address. */
  create(ownerId: number, given: NewOAuth2Application): Promise<{ application: OAuth2Application; secret: string }>;
  /** Makes a new secret; the old one ends. */
  update(id: number, given: NewOAuth2Application): Promise<{ application: OAuth2Application; secret: string }>;
  /** With everything that people granted it. */
  delete(id: number): Promise<void>;
}
export const oauth2Applications = defineService<OAuth2Applications>('oauth2-provider.applications');

/** What an actor has that came with an access token of an application. */
interface ApplicationGrant {
  readonly grantId: number;
  readonly applicationId: number;
  /** Words of the scope, as granted. */
  readonly scope: readonly string[];
}
export const applicationGrant = defineGrant<ApplicationGrant>('oauth2-provider.application');

/** Extension point: names of groups that a person is in, told to applications that ask for the scope `groups`. */
export interface OAuth2Groups extends Keyed {
  /** `publicOnly`: those alone that everybody may know of. */
  groups(account: Account, options: { readonly publicOnly: boolean }): Promise<readonly string[]>;
}
export const oauth2Groups = definePoint.keyed<OAuth2Groups>('oauth2-provider.groups');
