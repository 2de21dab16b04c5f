/**
 * The public contract of `git-transport`: what every way of reaching git has in common. A transport finds out who acts,
 * asks {@link gitSessions} which repository is meant and whether it may, and has {@link gitTransfers} run git on streams.
 */
export {
  type GitService,
  type GitSession,
  type GitCreation,
  type GitMoved,
  type GitSessions,
  gitSessions,
  type GitSessionCheck,
  gitSessionChecks,
  type GitExchange,
  type GitTransfers,
  gitTransfers,
} from './contract/git-transport.js';
