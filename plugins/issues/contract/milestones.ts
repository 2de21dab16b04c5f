/** One row of `milestone`. Times are milliseconds since 1970 UTC. */
export interface Milestone {
  readonly id: number;
  readonly repositoryId: number;
  readonly title: string;
  /** Markdown. */
  readonly description: string;
  readonly isClosed: boolean;
  /** 0: none. */
  readonly dueAt: number;
  readonly openCount: number;
  readonly closedCount: number;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** 0: open. */
  readonly closedAt: number;
}
