/** Where this package is: one folder up from here, in its sources as in what is made of them. */
export const packageRoot: URL = new URL("../", import.meta.url);
