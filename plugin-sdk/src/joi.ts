/** Joi for everything that Mortise is made of: two copies do not take each other's schemas. */
export { default as Joi } from 'joi';
