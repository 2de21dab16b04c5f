/** A label of a repository or of an organization. */
export interface Label {
  readonly id: number;
  /** 0: of an organization. */
  readonly repositoryId: number;
  /** 0: of a repository. */
  readonly organizationId: number;
  readonly name: string;
  /** Six hexadecimal digits in lower case. */
  readonly color: string;
  readonly description: string;
  /** Of the labels of its scope only one stays on an issue (ISS-03). */
  readonly isExclusive: boolean;
  readonly isArchived: boolean;
}

/** ISS-04: the name up to its last slash; empty where there is none, or where it stands first or last. */
export function scopeOf(name: string): string {
  const at = name.lastIndexOf('/');
  return at > 0 && at < name.length - 1 ? name.slice(0, at) : '';
}
