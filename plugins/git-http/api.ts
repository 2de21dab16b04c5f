/**
 * The public contract of `git-http`. Who may refuse a session is told by the point `gitSessionChecks` of `git-transport`,
 * which holds for every transport.
 */
export {};
