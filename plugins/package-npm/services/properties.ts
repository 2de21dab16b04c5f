/** Of a version: the dist-tags that name it. */
export const tagProperty = 'npm.tag';
/** Of a package: names of the accounts that starred it. */
export const starProperty = 'npm.star';
