#include <stdbool.h>
#include <objc/objc.h>
#include <objc/NSObjCRuntime.h>
#include <objc/runtime.h>
#include <objc/NSObject.h>
