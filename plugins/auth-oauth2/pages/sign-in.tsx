import { icon, listHref, type Site, type Slot } from '@mortise/plugin-sdk';
import type { LoginSources } from '@mortise/accounts/api';
import { activeSources, startPath } from '../routes/active-sources.js';
import { t } from '../texts/index.js';

interface Props {
  readonly source: string;
  readonly iconUrl: string;
  readonly href: string;
}

const SourceLink = ({ source, iconUrl, href }: Props) => (
  <a class="btn btn-block mt-3 wb-break-word" href={href}>
    {iconUrl ? (
      <img class="mr-2 v-align-middle" src={iconUrl} width="16" height="16" alt="" referrerpolicy="no-referrer" />
    ) : (
      icon('sign-in', { class: 'mr-2' })
    )}
    {t('signIn.with', { source })}
  </a>
);

/** A button for each provider on the sign-in page. */
export const sourceLinks = (
  loginSources: LoginSources,
  site: Site,
): Slot<{ readonly redirectTo: string; readonly csrf: string }> => ({
  key: 'oauth2',
  order: 50,
  async render({ redirectTo }) {
    const sources = await activeSources(loginSources);
    if (sources.length === 0) return null;
    return (
      <div>
        {sources.map(({ id, name, settings }) => (
          <SourceLink
            key={id}
            source={name}
            iconUrl={settings.iconUrl}
            href={listHref(site.path(startPath(name)), { redirect_to: redirectTo || undefined })}
          />
        ))}
      </div>
    );
  },
});
