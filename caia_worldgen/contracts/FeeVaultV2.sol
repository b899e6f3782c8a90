// SPDX-License-Identifier: MIT
pragma solidity ^0.8.24;

import {ERC20Burnable} from "@openzeppelin/contracts/token/ERC20/extensions/ERC20Burnable.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {FeeVaultV1} from "./FeeVaultV1.sol";

/// The vault after the vote: a sweep burns `burnShareBps` of what is held of a burnable token.
/// Its storage continues that of version 1.
contract FeeVaultV2 is FeeVaultV1 {
    using SafeERC20 for IERC20;

    uint256 public burnShareBps;

    event BurnShareSet(uint256 burnShareBps);
    event Swept(address indexed token, address indexed to, uint256 burned, uint256 sent);

    /// Runs once, in the call that upgrades.
    function initializeV2(uint256 burnShareBps_) external reinitializer(2) onlyOwner {
        _setBurnShare(burnShareBps_);
    }

    function version() external pure override returns (uint256) {
        return 2;
    }

    function setBurnShare(uint256 burnShareBps_) external onlyOwner {
        _setBurnShare(burnShareBps_);
    }

    /// Burn the share, rounded down, of all the vault holds of `token`, and send the rest to `to`.
    function sweep(address token, address to) external onlyOwner returns (uint256 burned) {
        uint256 held = IERC20(token).balanceOf(address(this));
        burned = (held * burnShareBps) / 10_000;
        ERC20Burnable(token).burn(burned);
        IERC20(token).safeTransfer(to, held - burned);
        emit Swept(token, to, burned, held - burned);
    }

    function _setBurnShare(uint256 burnShareBps_) private {
        if (burnShareBps_ > 10_000) revert RateTooHigh();
        burnShareBps = burnShareBps_;
        emit BurnShareSet(burnShareBps_);
    }
}
