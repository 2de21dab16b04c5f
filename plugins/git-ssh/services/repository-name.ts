/** The repository that a path means, whether its code or its wiki. */
export const named = (repo: string): string => repo.replace(/\.git$/i, '').replace(/\.wiki$/i, '');
