/**
 * The public contract of `git-http`. Who may refuse a visit is told by the point `gitVisitChecks` of `git-transport`,
 * which holds for every transport.
 */
export {};
