/** What a page names in its `islands` whose fields offer names of users (`data-suggest` of `TextField`). */
export const userFieldIslands = ['suggest'] as const;
