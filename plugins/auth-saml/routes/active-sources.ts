import { NotFound, type Site } from '@mortise/plugin-sdk';
import type { LoginSource, LoginSources } from '@mortise/accounts/api';
import type { StoredSettings } from '../services/source-settings.js';

export const kindKey = 'saml';

export type Source = LoginSource<StoredSettings>;

/** Where nobody need be signed in, whatever the settings say. */
export const anyoneAccess = { actor: 'anyone', always: true } as const;

/** Sources that people may use now, by name. */
export async function activeSources(loginSources: LoginSources): Promise<readonly Source[]> {
  return (await loginSources.list({ kind: kindKey, isActive: true })) as unknown as readonly Source[];
}

/** @throws NotFound where people cannot use it now */
export async function sourceOf(loginSources: LoginSources, name: string): Promise<Source> {
  const source = (await activeSources(loginSources)).find((one) => one.name === name);
  if (!source) throw NotFound('login source');
  return source;
}

export const startPath = (name: string) => `/user/saml/${encodeURIComponent(name)}`;
/** Entity ID of this site, where the source sets none, and address of its metadata (SAML metadata, 4.1). */
export const metadataUrl = (site: Site, { name }: Pick<Source, 'name'>) => site.url(`${startPath(name)}/metadata`);
/** Single logout service: requests and answers of the provider. */
export const logoutUrl = (site: Site, { name }: Pick<Source, 'name'>) => site.url(`${startPath(name)}/logout`);
/** Assertion consumer service: where the provider sends people back to. */
export const acsUrl = (site: Site, { name }: Pick<Source, 'name'>) => site.url(`${startPath(name)}/acs`);
