/**
 * The contract of `accounts`: who has an account here, how plugins find and show them, who belongs to which organization,
 * and what happens to them. Types, references, events, points and the schema of the REST model; no behaviour.
 */
export { type Visibility, type Account, type ApiUser, userSchema } from './contract/account.js';
export { AccountActivation, type ActivationDeps } from './contract/activation.js';
export {
  type NewAccount,
  type AccountChanges,
  type AccountSearch,
  accountFilters,
  type Accounts,
  accounts,
  type AccountPictures,
  accountPictures,
  type AccountBlocks,
  accountBlocks,
  type GuessLimits,
  guessLimits,
} from './contract/accounts.js';
export { isBcrypt, matchesBcrypt } from './services/bcrypt.js';
export { matchesImported, pbkdf2Hash } from './services/imported-hashes.js';
export { readKeyLine } from './services/key-line.js';
export { actionsUser, actionsActor } from './contract/actions-user.js';
export * from './contract/avatar-field.js';
export * from './contract/emails.js';
export * from './contract/events.js';
export { type AccountFeatures, accountFeatures } from './contract/features.js';
export {
  type PublicKey,
  type PublicKeys,
  publicKeys,
  publicKeySchema,
  type ShowKey,
  showKey,
} from './contract/keys.js';
export {
  type ForeignLoginSource,
  type LoginSource,
  type ExternalUser,
  type LoginSourceKind,
  loginSourceKinds,
  defineLoginSourceKind,
  type LoginSources,
  loginSources,
} from './contract/login-sources.js';
export { loginSourceCommands } from './contract/login-source-commands.js';
export { preferredLanguage, type AccountMail, accountMail, type AccountCodes, accountCodes } from './contract/mail.js';
export * from './contract/memberships.js';
export { externalAccountName } from './contract/names.js';
export * from './contract/owner-confirmation.js';
export {
  type StoredSubject,
  type StoredBytes,
  storedBytes,
  type OwnerQuota,
  ownerQuota,
  type StorageLimit,
  storageLimits,
} from './contract/owner-quota.js';
export {
  type ProfileProps,
  type ProfileTab,
  profileTabs,
  profileDetails,
  type ProfileIntroduction,
  profileIntroductions,
  type ProfilePage,
  profilePages,
  type SettingsPage,
  settingsPage,
  settingsMenu,
  type ExploreRules,
  exploreRules,
  exploreTabs,
  dashboardDetails,
  type WaitingList,
  type WaitingSource,
  type DashboardStep,
  dashboardSteps,
  waitingSources,
  reservedNames,
} from './contract/pages.js';
export * from './contract/resources.js';
export * from './contract/user-field.js';
export { settingsSearchRoute } from './contract/settings-search.js';
