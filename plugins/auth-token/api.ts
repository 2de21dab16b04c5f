/** The contract of `auth-token`: access tokens with scopes. */
export {
  type Scopes,
  type OfferedCategory,
  type TokenScopes,
  tokenScopes,
  type TokenUsage,
  tokenUsage,
} from './contract/auth-token.js';
