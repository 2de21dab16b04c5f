/** What all operations for administrators have. */
export const administer = { tags: ['admin'], access: { actor: 'admin', scope: 'admin' } } as const;
