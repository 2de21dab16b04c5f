import { Joi, type Site } from '@mortise/plugin-sdk';
import type { LoginSources } from '@mortise/accounts/api';
import type { Source } from '../services/client.js';

/** Where nobody need be signed in, whatever the settings say. */
export const anyoneAccess = { actor: 'anyone', always: true } as const;

/** A field of a form that is checked by hand, so that the form can be shown again. */
export const textField = Joi.string().allow('').default('');

export const kindKey = 'oauth2';

/** Sources that people may use now, by name. */
export async function activeSources(loginSources: LoginSources): Promise<readonly Source[]> {
  return (await loginSources.list({ kind: kindKey, isActive: true })) as unknown as readonly Source[];
}

export async function activeSource(loginSources: LoginSources, name: string): Promise<Source | undefined> {
  return (await activeSources(loginSources)).find((one) => one.name === name);
}

export const startPath = (name: string) => `/user/oauth2/${encodeURIComponent(name)}`;
/** What the provider has to know as redirect address of this site. */
export const callbackUrl = (site: Site, { name }: Pick<Source, 'name'>) => site.url(`${startPath(name)}/callback`);
