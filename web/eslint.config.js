import js from "@eslint/js";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import typescript from "typescript-eslint";

export default typescript.config(
  js.configs.recommended,
  ...typescript.configs.strict,
  ...svelte.configs.recommended,
  { languageOptions: { globals: { ...globals.browser } } },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: typescript.parser } },
  },
  {
    rules: {
      // typed arrays are indexed everywhere, within sizes the model states
      "@typescript-eslint/no-non-null-assertion": "off",
      "no-console": "error",
    },
  },
  { ignores: ["node_modules", "src/wire/messages.ts"] },
);
