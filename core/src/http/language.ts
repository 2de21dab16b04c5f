import type { Language } from '@mortise/plugin-sdk';
import type { RequestContext } from './context.js';

/** Name of the cookie that keeps what a visitor chose with `?lang=`. */
export const languageCookie = 'lang';
export const languageCookieAge = 365 * 86_400;

/**
 * The language of a page: what the address asks for, the account's, what the visitor chose before, what the browser
 * asks for, the site's.
 */
export async function pageLanguage(context: RequestContext): Promise<Language> {
  const { languages } = context.kernel;
  const { lang } = context.query as { lang?: unknown };
  const asked = typeof lang === 'string' ? languages.find(lang) : undefined;
  if (asked) {
    context.languageToSet = asked.tag;
    return languages.get(asked.tag);
  }
  const chosen = (await accountLanguage(context)) ?? context.cookies[languageCookie];
  const language = (chosen && languages.find(chosen)) || languages.negotiate(context.headers['accept-language']);
  return languages.get(language?.tag ?? '');
}

async function accountLanguage({ actor, kernel }: RequestContext): Promise<string | undefined> {
  if (actor.kind === 'anonymous') return undefined;
  for (const one of kernel.languageOf.list()) {
    try {
      const chosen = await one.language(actor);
      if (chosen) return chosen;
    } catch (error) {
      // the page may be the one that says so
      kernel.log.debug('the language of an account is not known', { error: (error as Error).message });
    }
  }
  return undefined;
}
