/** The contract of `auth-two-factor`: who has a second factor. */
export { type SecondFactors, secondFactors, secondFactorChanged } from './contract/auth-two-factor.js';
