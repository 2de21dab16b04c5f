/** What the protocol says of itself (RFC 7643, 5 to 8.7). */
import { basePath } from './token-method.js';
import { maxCount } from './lists.js';
import { groupSchemaId, userSchemaId, type Json } from './representation.js';

interface AttributeOptions {
  readonly type?: 'string' | 'boolean' | 'complex' | 'reference';
  readonly multiValued?: boolean;
  readonly required?: boolean;
  readonly caseExact?: boolean;
  readonly mutability?: 'readOnly' | 'readWrite' | 'immutable';
  readonly uniqueness?: 'none' | 'server';
  readonly referenceTypes?: readonly string[];
  readonly canonicalValues?: readonly string[];
  readonly subAttributes?: readonly Json[];
}

const attribute = (name: string, description: string, options: AttributeOptions = {}): Json => {
  const { type = 'string' } = options;
  return {
    name,
    type,
    multiValued: false,
    description,
    required: false,
    ...(type !== 'boolean' && type !== 'complex' && { caseExact: false }),
    mutability: 'readWrite',
    returned: 'default',
    ...(type !== 'boolean' && { uniqueness: 'none' }),
    ...options,
  };
};

const userAttributes = [
  attribute('userName', 'Name of the user at the provider. The part before an @ is the name of the account.', {
    required: true,
    uniqueness: 'server',
  }),
  attribute('displayName', 'Full name; without it, the parts of the name make it up.'),
  attribute('name', 'Parts of the full name.', {
    type: 'complex',
    subAttributes: [attribute('givenName', 'Given name.'), attribute('familyName', 'Family name.')],
  }),
  attribute('active', 'Whether the user may sign in.', { type: 'boolean' }),
  attribute('emails', 'The address of the account: the primary one is kept.', {
    type: 'complex',
    multiValued: true,
    required: true,
    subAttributes: [
      attribute('value', 'The address.', { required: true, uniqueness: 'server' }),
      attribute('type', 'What the address is for.'),
      attribute('primary', 'Whether this address is the one to keep.', { type: 'boolean' }),
    ],
  }),
];

const groupAttributes = [
  attribute(
    'displayName',
    'Name of the group. What a team cannot be called becomes a hyphen in the name of the team.',
    {
      required: true,
      uniqueness: 'server',
    },
  ),
  attribute('members', 'Users who are in the team.', {
    type: 'complex',
    multiValued: true,
    subAttributes: [
      attribute('value', 'Id of the user.', { mutability: 'immutable', required: true, caseExact: true }),
      attribute('$ref', 'Address of the user.', {
        type: 'reference',
        referenceTypes: ['User'],
        mutability: 'immutable',
        caseExact: true,
      }),
      attribute('type', 'Always User.', { mutability: 'immutable', canonicalValues: ['User'] }),
    ],
  }),
];

type Url = (path: string) => string;

const metaOf = (resourceType: string, location: string): Json => ({ resourceType, location });

export const serviceProviderConfig = (url: Url): Json => ({
  schemas: ['urn:ietf:params:scim:schemas:core:2.0:ServiceProviderConfig'],
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: maxCount },
  changePassword: { supported: false },
  sort: { supported: false },
  etag: { supported: true },
  authenticationSchemes: [
    {
      type: 'oauthbearertoken',
      name: 'Bearer token',
      description: 'A token that a site administrator has made for the identity provider.',
      specUri: 'https://www.rfc-editor.org/info/rfc6750',
      primary: true,
    },
  ],
  meta: metaOf('ServiceProviderConfig', url(`${basePath}/ServiceProviderConfig`)),
});

export const resourceTypes = (url: Url): readonly Json[] =>
  [
    { id: 'User', endpoint: '/Users', description: 'Accounts of people', schema: userSchemaId },
    { id: 'Group', endpoint: '/Groups', description: 'Teams of an organization', schema: groupSchemaId },
  ].map((type) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:ResourceType'],
    name: type.id,
    ...type,
    meta: metaOf('ResourceType', url(`${basePath}/ResourceTypes/${type.id}`)),
  }));

export const schemas = (url: Url): readonly Json[] =>
  [
    { id: userSchemaId, name: 'User', description: 'Accounts of people', attributes: userAttributes },
    { id: groupSchemaId, name: 'Group', description: 'Teams of an organization', attributes: groupAttributes },
  ].map((schema) => ({
    schemas: ['urn:ietf:params:scim:schemas:core:2.0:Schema'],
    ...schema,
    meta: metaOf('Schema', url(`${basePath}/Schemas/${schema.id}`)),
  }));
