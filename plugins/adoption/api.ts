/** `adoption` offers nothing to other plugins. */
export {};
