import type { Accounts } from '@mortise/accounts/api';
import type { ApiOrganization, Organization } from '../contract/organizations.js';

/** Makes the REST record `Organization`; it is the same for everybody who may see it. */
export function showOrganization(
  { account, repositoryAdminsChangeTeams }: Organization,
  accounts: Pick<Accounts, 'avatarUrl'>,
): ApiOrganization {
  return {
    id: account.id,
    name: account.name,
    full_name: account.fullName,
    email: account.email,
    avatar_url: accounts.avatarUrl(account),
    description: account.description,
    website: account.website,
    location: account.location,
    visibility: account.visibility,
    repo_admin_change_team_access: repositoryAdminsChangeTeams,
    username: account.name,
  };
}
