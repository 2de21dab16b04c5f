/**
 * Programs that people have without registering them: their client ids are built into them. Sources: the documentation of
 * git-credential-oauth, Git Credential Manager and tea.
 */
export const wellKnown: Readonly<Record<string, { name: string; clientId: string }>> = {
  'git-credential-oauth': { name: 'git-credential-oauth', clientId: 'a4792ccc-144e-407e-86c9-5e7d8d9c3269' },
  'git-credential-manager': { name: 'Git Credential Manager', clientId: 'e90ee53c-94e2-48ac-9358-a874fb9e0662' },
  tea: { name: 'tea', clientId: 'd57cb8c4-630c-4168-8324-ec79935e18d4' },
};

export const wellKnownIds: readonly string[] = Object.values(wellKnown).map((one) => one.clientId);

export const isWellKnown = (clientId: string): boolean => wellKnownIds.includes(clientId);
