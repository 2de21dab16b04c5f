import { pageRoute, formStatus, type Flash, type Route } from '@mortise/plugin-sdk';
import {
  administerOrganization,
  organizationResource,
  type OrganizationContext,
  type OrganizationPages,
} from '@mortise/organizations/api';
import type { RouteContext } from '@mortise/plugin-sdk';
import { dashboardPage } from './dashboard.js';
import { Labels, labelForms } from './labels.js';
import type { PageDeps } from './page-context.js';
import { t } from '../texts/index.js';

const maxLabels = 500;
type Context = RouteContext<OrganizationContext>;

/** Labels that all repositories of an organization have. */
export function organizationLabelPages(deps: PageDeps, pages: OrganizationPages): Route[] {
  const { labels } = deps.issueServices;
  const path = ({ resource }: Context) => deps.site.path(`/org/${resource.account.name}/settings/labels`);
  const owner = ({ resource }: Context) => ({ organizationId: resource.account.id });
  const show = async (context: Context, sent?: Parameters<typeof Labels>[0]['sent'], flash?: Flash) => {
    const { items } = await labels.list(owner(context), { limit: maxLabels, offset: 0 });
    return pages.settingsPage(context, 'labels', {
      title: t.later('labels.title'),
      islands: ['issues-style'],
      ...(flash && { flash, status: formStatus(flash) }),
      body: (
        <OrganizationLabels
          labels={items}
          action={path(context)}
          mayWrite
          emojify={deps.emojify}
          sent={sent}
          level={3}
        />
      ),
    });
  };
  return [
    pageRoute('/org/{org}/settings/labels', administerOrganization, (context) => show(context)),
    ...labelForms(deps.issueServices, '/org/{org}/settings/labels', administerOrganization, {
      owner,
      path,
      again: show,
    }),
  ];
}

const OrganizationLabels = (props: Parameters<typeof Labels>[0]) => (
  <section>
    <h2 class="f3 mb-2">{t('labels.title')}</h2>
    <p class="color-fg-muted">{t('labels.organizationNote')}</p>
    <Labels {...props} />
  </section>
);

/** Issues and pull requests of all repositories of an organization. */
export const organizationLists = (deps: PageDeps): Route[] =>
  (['issues', 'pulls'] as const).map((kind) =>
    pageRoute(`/org/{org}/${kind}`, { actor: 'user', resource: organizationResource }, (context) =>
      dashboardPage(deps, context, {
        isPull: kind === 'pulls',
        path: `/org/${context.resource.account.name}/${kind}`,
        owner: context.resource.account,
      }),
    ),
  );
