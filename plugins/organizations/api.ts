/**
 * The contract of `organizations`: what organizations and teams are, who belongs to them, how they are shown, and what
 * happens to them. Types, references, points and the schemas of the REST models; no behaviour.
 */
export * from './contract/group-teams.js';
export {
  type Organizations,
  organizations,
  type OrganizationContext,
  organizationResource,
} from './contract/organizations.js';
export {
  administerOrganization,
  organizationSettingsMenu,
  type OrganizationPages,
  organizationPages,
} from './contract/pages.js';
export { type Team, type ApiTeam, teamSchema, type Teams, teams, teamResource } from './contract/teams.js';
