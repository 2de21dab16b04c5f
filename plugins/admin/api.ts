/** The contract of `admin`: what other plugins add to the administration pages. */
export {
  adminMenu,
  overviewCounts,
  type SiteProblemSource,
  siteProblems,
  adminUserSections,
  type AdminPage,
  adminPage,
  type SiteNotices,
  siteNotices,
} from './contract/admin.js';
