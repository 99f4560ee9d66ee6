/** A package that is installed only where it is used, and is not installed here. */
export class PackageMissing extends Error {
  constructor(name: string, user: string) {
    super(`${user} needs the package ${name}, which is not installed. Add it: npm install ${name}`);
  }
}

/** Loads a module that imports an optional package; throws PackageMissing where that is not installed. */
export async function needing<Module>(
  name: string,
  user: string,
  load: () => Promise<Module>,
): Promise<Module> {
  try {
    return await load();
  } catch (error) {
    const { code, message } = error as { readonly code?: unknown; readonly message?: unknown };
    const isMissing = code === "ERR_MODULE_NOT_FOUND" && String(message).includes(`'${name}'`);
    throw isMissing ? new PackageMissing(name, user) : error;
  }
}
