// The declarations that Apple documents; the headers at hand lack this one.
#pragma once
#include <Availability.h>
#include <stddef.h>
#include <stdint.h>

typedef enum : uint32_t { OS_SYNC_WAIT_ON_ADDRESS_NONE = 0 } os_sync_wait_on_address_flags_t;
typedef enum : uint32_t { OS_SYNC_WAKE_BY_ADDRESS_NONE = 0 } os_sync_wake_by_address_flags_t;

__API_AVAILABLE(macos(14.4), ios(17.4), tvos(17.4), watchos(10.4))
int os_sync_wait_on_address(
    void *address, uint64_t value, size_t size, os_sync_wait_on_address_flags_t flags);
__API_AVAILABLE(macos(14.4), ios(17.4), tvos(17.4), watchos(10.4))
int os_sync_wake_by_address_any(void *address, size_t size, os_sync_wake_by_address_flags_t flags);
__API_AVAILABLE(macos(14.4), ios(17.4), tvos(17.4), watchos(10.4))
int os_sync_wake_by_address_all(void *address, size_t size, os_sync_wake_by_address_flags_t flags);
