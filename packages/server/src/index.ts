export { createRegistry, DuplicateTool, UnnamedTool, type Named, type Registry } from "./registry.ts";
