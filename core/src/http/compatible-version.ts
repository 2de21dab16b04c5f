/**
 * The version of Gitea whose API this one has. Clients read it from `/api/v1/version` to decide what they can call; the
 * product's own version is in `package.json`.
 */
export const compatibleVersion = '1.27.0';
